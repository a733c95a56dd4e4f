import type { Action } from '../../kernel/actions/action.js';
import { KIND } from '../../kernel/api/kinds.js';
import type { KubernetesObject } from '../../kernel/api/kubernetes-object.js';
import { OPERATOR_GROUP_API, type OperatorGroup } from '../../kernel/api/operator-group.js';
import { hasLabels, MANAGED_LABEL, ownerLabels } from '../../kernel/api/owner-labels.js';
import { byCodeUnit } from '../../kernel/canonical/canonical-json.js';
import { sameJson } from '../../kernel/canonical/same-json.js';
import { fnv1a64Hex } from '../../kernel/hashes/digest.js';
import { operatorGroupClusterRoleName } from '../../kernel/hashes/object-names.js';
import { perObject } from '../../kernel/memo/per-object.js';
import { groupName, groupNamespace } from './group-facts.js';

const SUFFIXES = ['admin', 'edit', 'view'] as const;
const OWNER_KIND = OPERATOR_GROUP_API.kind;

/**
 * Keeps the three ClusterRoles of a group in step with its APIs, as `Kind.version.group`
 * (operator-groups.md §5).
 */
export function groupClusterRoles(
  group: OperatorGroup,
  apis: ReadonlySet<string>,
  clusterRoles: readonly KubernetesObject[],
): readonly Action[] {
  const labels = { [MANAGED_LABEL]: 'true', ...ownerLabels(groupName(group), groupNamespace(group), OWNER_KIND) };
  const names = namesFor(group);
  return SUFFIXES.flatMap((suffix, at): Action[] => {
    const name = names[at] ?? '';
    const aggregationRule = aggregation(apis, suffix);
    const live = clusterRoles.find(({ metadata }) => metadata.name === name);
    if (live === undefined) return [{ do: 'create', object: clusterRole(name, labels, aggregationRule) }];
    const inStep = hasLabels(live, labels) && sameJson(live['aggregationRule'] ?? null, aggregationRule ?? null);
    if (inStep) return [];
    const { aggregationRule: _old, ...rest } = live;
    const { rules: _none, ...next } = clusterRole(name, { ...live.metadata.labels, ...labels }, aggregationRule);
    return [{ do: 'update', object: { ...rest, ...next, metadata: { ...live.metadata, ...next.metadata } } }];
  });
}

/** The names of the group's ClusterRoles, in the order of their suffixes: to hash them takes long. */
const namesFor = perObject((group: OperatorGroup): readonly string[] =>
  SUFFIXES.map((suffix) => operatorGroupClusterRoleName(groupNamespace(group), groupName(group), suffix)),
);

type AggregationRule = Readonly<{ clusterRoleSelectors: readonly unknown[] }>;

function aggregation(apis: ReadonlySet<string>, suffix: string): AggregationRule | undefined {
  if (apis.size === 0) return undefined;
  const keys = [...apis].map((api) => `olm.opgroup.permissions/aggregate-to-${fnv1a64Hex(api)}-${suffix}`);
  return { clusterRoleSelectors: keys.sort(byCodeUnit).map((key) => ({ matchLabels: { [key]: 'true' } })) };
}

/**
 * A new role: without APIs there is no aggregation, and so no rules; with it the API server's
 * controller fills them in. When the last API goes, so does the aggregation, and the rules stay as
 * they were last (measured).
 */
const clusterRole = (
  name: string,
  labels: Record<string, string>,
  aggregationRule: AggregationRule | undefined,
): KubernetesObject => ({
  ...KIND.ClusterRole,
  metadata: { name, labels },
  ...(aggregationRule === undefined ? { rules: null } : { aggregationRule, rules: null }),
});

/**
 * Deletes the ClusterRoles of groups that are gone; `groups` must be all groups of the
 * namespaces that own them (§5).
 */
export function orphanedGroupClusterRoles(
  clusterRoles: readonly KubernetesObject[],
  groups: readonly OperatorGroup[],
): readonly Action[] {
  const live = new Set(groups.map((group) => `${groupNamespace(group)}/${groupName(group)}`));
  return clusterRoles
    .filter(({ metadata: { labels = {} } }) => {
      const owner = `${labels['olm.owner.namespace']}/${labels['olm.owner']}`;
      return labels['olm.owner.kind'] === OWNER_KIND && labels[MANAGED_LABEL] === 'true' && !live.has(owner);
    })
    .map(({ metadata }) => ({
      do: 'delete',
      ref: { ...KIND.ClusterRole, name: metadata.name ?? '' },
      propagation: 'Background',
      uid: metadata.uid,
    }));
}
