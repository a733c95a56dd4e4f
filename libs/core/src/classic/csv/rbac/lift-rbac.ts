import type { Action } from '../../../kernel/actions/action.js';
import type { ClusterServiceVersion, PolicyRule } from '../../../kernel/api/cluster-service-version.js';
import { csvNamespace, permissions } from '../../../kernel/api/csv-facts.js';
import { KIND, RBAC_GROUP } from '../../../kernel/api/kinds.js';
import type { KubernetesObject } from '../../../kernel/api/kubernetes-object.js';
import { csvOwnerLabels, hasLabels } from '../../../kernel/api/owner-labels.js';
import { coveredBy, grantedRules } from '../../../kernel/rbac/authorize.js';
import { bindingOf, rulesOf } from '../../../kernel/rbac/rbac-objects.js';
import type { CsvWorld } from '../world/csv-world.js';

/** Rule in every lifted Role: an operator that watches all namespaces must be able to see them. */
const SEE_NAMESPACES: PolicyRule = { verbs: ['get', 'list', 'watch'], apiGroups: [''], resources: ['namespaces'] };

/** True if the service accounts already hold the CSV's namespaced permissions in every namespace. */
const metClusterWide = (csv: ClusterServiceVersion, world: CsvWorld): boolean =>
  permissions(csv).every(({ serviceAccountName, rules }) => {
    const granted = grantedRules(world, { namespace: csvNamespace(csv), name: serviceAccountName }, undefined);
    return (rules ?? []).every((rule) => coveredBy(granted, rule));
  });

/**
 * Turns each Role and RoleBinding of a CSV in a global group into a ClusterRole and ClusterRoleBinding of the
 * same name. Existing ones are left unchanged (spec: csv-lifecycle.md §6).
 */
export function liftRbac(csv: ClusterServiceVersion, world: CsvWorld): readonly Action[] {
  if (permissions(csv).length === 0 || metClusterWide(csv, world)) return [];
  const owned = (one: KubernetesObject) => hasLabels(one, csvOwnerLabels(csv));
  const missingFrom = (existing: readonly KubernetesObject[]) => {
    const names = new Set(existing.map(({ metadata }) => metadata.name));
    return (one: KubernetesObject) => !names.has(one.metadata.name);
  };
  const roles = world.roles.filter(owned).filter(missingFrom(world.clusterRoles)).map(clusterRole);
  const bindings = world.roleBindings
    .filter(owned)
    .filter(missingFrom(world.clusterRoleBindings))
    .flatMap((one) => clusterRoleBinding(one) ?? []);
  return [...roles, ...bindings].map((object): Action => ({ do: 'create', object }));
}

const clusterRole = (role: KubernetesObject): KubernetesObject => ({
  ...KIND.ClusterRole,
  metadata: { name: role.metadata.name ?? '', labels: { ...role.metadata.labels } },
  rules: [...rulesOf(role), SEE_NAMESPACES],
});

function clusterRoleBinding(binding: KubernetesObject): KubernetesObject | undefined {
  const content = bindingOf(binding);
  if (content === undefined) return undefined;
  return {
    ...KIND.ClusterRoleBinding,
    metadata: { name: binding.metadata.name ?? '', labels: { ...binding.metadata.labels } },
    subjects: [...content.subjects],
    roleRef: { apiGroup: RBAC_GROUP, kind: 'ClusterRole', name: content.roleRef.name },
  };
}
