import {
  type ClusterServiceVersion,
  CSV_API,
  type PolicyRule,
  type RequirementStatus,
  type StrategyPermission,
} from '../../../kernel/api/cluster-service-version.js';
import { clusterPermissions, csvNamespace, permissions } from '../../../kernel/api/csv-facts.js';
import { RBAC_GROUP } from '../../../kernel/api/kinds.js';
import { csvOwnerLabels, hasLabels, isOwnedBy } from '../../../kernel/api/owner-labels.js';
import { byCodeUnit } from '../../../kernel/canonical/canonical-json.js';
import { bindingHash, orderedRule, rulesHash } from '../../../kernel/hashes/rbac-names.js';
import { escapedGoJson } from '../../../kernel/json/go-json-text.js';
import { perObject } from '../../../kernel/memo/per-object.js';
import { coveredBy, grantedRules } from '../../../kernel/rbac/authorize.js';
import type { CsvWorld } from '../world/csv-world.js';

const PERMISSIONS_HASH_LABEL = 'olm.permissions.hash';

type Dependent = NonNullable<RequirementStatus['dependents']>[number];

/**
 * Returns one entry, by name, for each service account with rights that had to be evaluated. Permissions need
 * no evaluation and give no entry if Flotilla itself made their Role and RoleBinding (spec: csv-lifecycle.md
 * §4, measured).
 */
export function permissionRequirements(csv: ClusterServiceVersion, world: CsvWorld): readonly RequirementStatus[] {
  const entries = new Map<string, RequirementStatus>();
  const check = (permission: StrategyPermission, namespace: string | undefined) => {
    const name = permission.serviceAccountName;
    const entry = checked(csv, world, permission, namespace, entries.get(name) ?? fresh(name));
    if (entry !== undefined) entries.set(name, entry);
  };
  for (const permission of permissions(csv)) check(permission, csvNamespace(csv));
  for (const permission of clusterPermissions(csv)) check(permission, undefined);
  return [...entries.values()].sort((a, b) => byCodeUnit(a.name, b.name));
}

const fresh = (name: string): RequirementStatus => ({
  group: '',
  version: 'v1',
  kind: 'ServiceAccount',
  name,
  status: 'Present',
  message: '',
});

function checked(
  csv: ClusterServiceVersion,
  world: CsvWorld,
  permission: StrategyPermission,
  namespace: string | undefined,
  entry: RequirementStatus,
): RequirementStatus | undefined {
  const account = world.serviceAccounts.find(({ metadata }) => metadata.name === permission.serviceAccountName);
  if (account === undefined) return { ...entry, status: 'NotPresent', message: 'Service account does not exist' };
  const csvOwners = (account.metadata.ownerReferences ?? []).filter(({ kind }) => kind === CSV_API.kind);
  if (csvOwners.length > 0 && !isOwnedBy(account, csv)) {
    const message = 'Service account is owned by another ClusterServiceVersion';
    return { ...entry, status: 'PresentNotSatisfied', message };
  }
  if (namespace !== undefined && generatedByUs(csv, world, permission)) return undefined;
  const key = { namespace: csvNamespace(csv), name: permission.serviceAccountName };
  const granted = grantedRules(world, key, namespace);
  const dependents = (permission.rules ?? []).map((rule) => dependentOf(rule, namespace, coveredBy(granted, rule)));
  return withDependents(entry, dependents);
}

const dependentOf = (rule: PolicyRule, namespace: string | undefined, satisfied: boolean): Dependent => ({
  group: RBAC_GROUP,
  version: 'v1',
  kind: 'PolicyRule',
  status: satisfied ? 'Satisfied' : 'NotSatisfied',
  message: `${namespace === undefined ? 'cluster' : 'namespaced'} rule:${escapedGoJson(orderedRule(rule))}`,
});

function withDependents(entry: RequirementStatus, added: readonly Dependent[]): RequirementStatus {
  const dependents = [...(entry.dependents ?? []), ...added];
  const all = dependents.length > 0 ? { ...entry, dependents } : entry;
  if (added.every(({ status }) => status === 'Satisfied')) return all;
  return { ...all, status: 'PresentNotSatisfied', message: 'Policy rule not satisfied for service account' };
}

const hashOfRules = perObject(({ rules }: StrategyPermission): string => rulesHash(rules ?? []));

/** True if the Role and the RoleBinding of this permission exist, found by owner and content hash. */
function generatedByUs(csv: ClusterServiceVersion, world: CsvWorld, permission: StrategyPermission): boolean {
  const namespace = csvNamespace(csv);
  const hashed = (hash: string) => ({ ...csvOwnerLabels(csv), [PERMISSIONS_HASH_LABEL]: hash });
  const roles = world.roles.filter((one) => hasLabels(one, hashed(hashOfRules(permission))));
  return roles.some(({ metadata }) => {
    const hash = bindingHash({
      roleRef: { apiGroup: RBAC_GROUP, kind: 'Role', name: metadata.name ?? '' },
      subjects: [{ kind: 'ServiceAccount', name: permission.serviceAccountName, namespace }],
    });
    return world.roleBindings.some((one) => hasLabels(one, hashed(hash)));
  });
}
