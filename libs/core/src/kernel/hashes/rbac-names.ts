import type { PolicyRule, StrategyPermission } from '../api/cluster-service-version.js';
import { escapedGoJson } from '../json/go-json-text.js';
import { deepHash, sha224Base62 } from './digest.js';

/** The longest name that OLM gives to a Role, ClusterRole or one of their bindings, in characters. */
export const MAX_RBAC_NAME_LENGTH = 63;

/**
 * Returns a rule with its fields in the order of Go's rbacv1.PolicyRule. Empty lists except `verbs` are left
 * out, as Go does.
 */
export function orderedRule(rule: PolicyRule): Record<string, unknown> {
  const ordered: Record<string, unknown> = { verbs: rule.verbs ?? null };
  const optional = ['apiGroups', 'resources', 'resourceNames', 'nonResourceURLs'] as const;
  for (const field of optional) {
    const list = rule[field];
    if (list !== undefined && list.length > 0) ordered[field] = list;
  }
  return ordered;
}

const orderedPermission = (permission: StrategyPermission): Record<string, unknown> => ({
  serviceAccountName: permission.serviceAccountName,
  rules: permission.rules?.map(orderedRule) ?? null,
});

/** Returns base, dash and hash, with the base cut so that all fit the limit. */
function named(base: string, hash: string): string {
  const fits = base.length + hash.length <= MAX_RBAC_NAME_LENGTH;
  const cut = fits ? base : base.slice(0, MAX_RBAC_NAME_LENGTH - hash.length - 1);
  return `${cut}-${hash}`;
}

/**
 * Returns the name of the Role and RoleBinding of one namespaced permission of a CSV (spec: api-types.md
 * §12).
 */
export function roleName(csv: string, permission: StrategyPermission): string {
  const hash = deepHash({ name: csv, permission: orderedPermission(permission) });
  return named(`${csv}-${permission.serviceAccountName}`, hash);
}

/**
 * Returns the name of the ClusterRole and ClusterRoleBinding of one cluster permission of a CSV (spec:
 * api-types.md §12).
 */
export function clusterRoleName(csv: string, namespace: string, permission: StrategyPermission): string {
  return named(csv, deepHash({ name: csv, namespace, permission: orderedPermission(permission) }));
}

/**
 * Returns label `olm.permissions.hash` of a Role or ClusterRole: its rules, without the newline of a deep
 * hash.
 */
export const rulesHash = (rules: readonly PolicyRule[]): string => sha224Base62(escapedGoJson(rules.map(orderedRule)));

/** The content of a binding that its hash covers: its subjects and its rights. */
type BindingContent = Readonly<{
  roleRef: Readonly<{ apiGroup: string; kind: string; name: string }>;
  subjects: readonly Readonly<{ kind: string; apiGroup?: string; name: string; namespace?: string }>[];
}>;

/** Returns label `olm.permissions.hash` of a RoleBinding or ClusterRoleBinding (spec: api-types.md §12). */
export function bindingHash({ roleRef, subjects }: BindingContent): string {
  return sha224Base62(
    escapedGoJson({
      RoleRef: { apiGroup: roleRef.apiGroup, kind: roleRef.kind, name: roleRef.name },
      Subjects: subjects.map(({ kind, apiGroup, name, namespace }) => ({
        kind,
        ...(apiGroup ? { apiGroup } : {}),
        name,
        ...(namespace ? { namespace } : {}),
      })),
    }),
  );
}
