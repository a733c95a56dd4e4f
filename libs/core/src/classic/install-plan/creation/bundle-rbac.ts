import type { ClusterServiceVersion, StrategyPermission } from '../../../kernel/api/cluster-service-version.js';
import { KIND, RBAC_GROUP } from '../../../kernel/api/kinds.js';
import type { KubernetesObject } from '../../../kernel/api/kubernetes-object.js';
import { bindingHash, clusterRoleName, roleName, rulesHash } from '../../../kernel/hashes/rbac-names.js';
import { nonBlockingOwner, ownerLabels } from '../steps/csv-owner.js';

/** The CSV with the permissions to turn into objects, and the namespace of its installation. */
type Operator = Readonly<{ csv: string; namespace: string }>;

type Grant = Readonly<{ account: string; role: KubernetesObject; binding: KubernetesObject }>;

const labels = ({ csv, namespace }: Operator, permissionsHash: string): Record<string, string> => ({
  ...ownerLabels(csv, namespace),
  'olm.permissions.hash': permissionsHash,
});

function grantOf(operator: Operator, permission: StrategyPermission, scope: 'namespace' | 'cluster'): Grant {
  const { csv, namespace } = operator;
  const account = permission.serviceAccountName;
  const inNamespace = scope === 'namespace';
  const name = inNamespace ? roleName(csv, permission) : clusterRoleName(csv, namespace, permission);
  const rules = permission.rules ?? [];
  const owned = inNamespace ? { namespace, ownerReferences: [nonBlockingOwner(csv)] } : {};
  const roleRef = { apiGroup: RBAC_GROUP, kind: inNamespace ? 'Role' : 'ClusterRole', name };
  const subjects = [{ kind: 'ServiceAccount', name: account, namespace }];
  return {
    account,
    role: {
      apiVersion: KIND.Role.apiVersion,
      kind: roleRef.kind,
      metadata: { name, ...owned, labels: labels(operator, rulesHash(rules)) },
      rules,
    },
    binding: {
      apiVersion: KIND.Role.apiVersion,
      kind: `${roleRef.kind}Binding`,
      metadata: { name, ...owned, labels: labels(operator, bindingHash({ roleRef, subjects })) },
      subjects,
      roleRef,
    },
  };
}

const serviceAccountOf = ({ csv, namespace }: Operator, name: string): KubernetesObject => ({
  ...KIND.ServiceAccount,
  metadata: { name, namespace, ownerReferences: [nonBlockingOwner(csv)] },
});

/**
 * Returns the objects for a CSV's permissions, per service account in the order of first mention in the CSV:
 * ServiceAccount (the namespace's `default` is never made), Roles, RoleBindings, ClusterRoles,
 * ClusterRoleBindings. Spec: install-plans.md §2.
 */
export function rbacOf(csv: ClusterServiceVersion, namespace: string): KubernetesObject[] {
  const operator = { csv: csv.metadata.name ?? '', namespace };
  const strategy = csv.spec.install?.spec;
  const local = (strategy?.permissions ?? []).map((permission) => grantOf(operator, permission, 'namespace'));
  const wide = (strategy?.clusterPermissions ?? []).map((permission) => grantOf(operator, permission, 'cluster'));
  const accounts = [...new Set([...local, ...wide].map(({ account }) => account))];
  return accounts.flatMap((account) => {
    const ofAccount = (grants: readonly Grant[]) => grants.filter((grant) => grant.account === account);
    return [
      ...(account === 'default' ? [] : [serviceAccountOf(operator, account)]),
      ...ofAccount(local).map(({ role }) => role),
      ...ofAccount(local).map(({ binding }) => binding),
      ...ofAccount(wide).map(({ role }) => role),
      ...ofAccount(wide).map(({ binding }) => binding),
    ];
  });
}
