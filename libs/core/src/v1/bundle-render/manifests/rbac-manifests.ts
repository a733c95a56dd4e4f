import { createHash } from 'node:crypto';
import type { PolicyRule, StrategyPermission } from '../../../kernel/api/cluster-service-version.js';
import { KIND, RBAC_GROUP } from '../../../kernel/api/kinds.js';
import type { KubernetesObject } from '../../../kernel/api/kubernetes-object.js';
import { byCodeUnit } from '../../../kernel/canonical/canonical-json.js';
import { orderedRule } from '../../../kernel/hashes/rbac-names.js';
import { escapedGoJson } from '../../../kernel/json/go-json-text.js';
import { objectName } from '../bundle/object-name.js';
import { clusterPermissionsOf, permissionsOf, type RegistryBundle } from '../bundle/registry-bundle.js';
import type { Targets } from '../bundle/target-namespaces.js';

const DEFAULT_ACCOUNT = 'default';

/**
 * Added when rules for one namespace become rules for all: an operator that watches all namespaces must be
 * able to see them.
 */
const SEE_NAMESPACES: PolicyRule = { verbs: ['get', 'list', 'watch'], apiGroups: [''], resources: ['namespaces'] };

/**
 * Returns ServiceAccounts, roles and bindings of a bundle (spec: v1-apply.md §4). Rules for namespaces are
 * granted in each target namespace, or cluster-wide if the operator watches all.
 */
export function rbacManifests(bundle: RegistryBundle, namespace: string, targets: Targets): KubernetesObject[] {
  const csv = bundle.csv.metadata.name;
  const local = permissionsOf(bundle);
  const promoted = targets.all ? local.map(seeingNamespaces) : [];
  const wide = [...clusterPermissionsOf(bundle), ...promoted];
  const inNamespaces = targets.all ? [] : targets.namespaces;
  return [
    ...accountsOf([...local, ...wide], namespace),
    ...inNamespaces.flatMap((target) => local.flatMap((permission) => grant(csv, permission, namespace, target))),
    ...wide.flatMap((permission) => grant(csv, permission, namespace, undefined)),
  ];
}

const seeingNamespaces = (permission: StrategyPermission): StrategyPermission => ({
  ...permission,
  rules: [...(permission.rules ?? []), SEE_NAMESPACES],
});

const accountOf = ({ serviceAccountName }: StrategyPermission): string => serviceAccountName || DEFAULT_ACCOUNT;

/** Returns one ServiceAccount for each named account; `default` exists in every namespace. */
function accountsOf(permissions: readonly StrategyPermission[], namespace: string): KubernetesObject[] {
  const names = new Set(permissions.map(accountOf));
  names.delete(DEFAULT_ACCOUNT);
  return [...names].sort(byCodeUnit).map((name) => ({ ...KIND.ServiceAccount, metadata: { name, namespace } }));
}

/** Returns the Role and binding in the target namespace, or, without one, the ClusterRole and its binding. */
function grant(
  csv: string,
  permission: StrategyPermission,
  namespace: string,
  target: string | undefined,
): KubernetesObject[] {
  const account = accountOf(permission);
  const name = objectName(`${csv}-${account}`, permissionHash(permission));
  const metadata = { name, ...(target === undefined ? {} : { namespace: target }) };
  const kind = target === undefined ? 'ClusterRole' : 'Role';
  return [
    // Without rules the list is null, as in OLM v1.
    { apiVersion: KIND.Role.apiVersion, kind, metadata, rules: permission.rules?.map(orderedRule) ?? null },
    {
      apiVersion: KIND.Role.apiVersion,
      kind: `${kind}Binding`,
      metadata,
      subjects: [{ kind: 'ServiceAccount', name: account, namespace }],
      roleRef: { apiGroup: RBAC_GROUP, kind, name },
    },
  ];
}

const HASH_BASE = 36;

/** Returns SHA-224 of the permission as Go writes it, in base 36 (spec: v1-apply.md §4, "RBAC name"). */
function permissionHash({ serviceAccountName, rules }: StrategyPermission): string {
  const text = `${escapedGoJson({ serviceAccountName, rules: rules?.map(orderedRule) ?? null })}\n`;
  return BigInt(`0x${createHash('sha224').update(text).digest('hex')}`).toString(HASH_BASE);
}
