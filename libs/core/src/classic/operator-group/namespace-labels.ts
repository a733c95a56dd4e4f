import type { Action } from '../../kernel/actions/action.js';
import { KIND } from '../../kernel/api/kinds.js';
import type { KubernetesObject } from '../../kernel/api/kubernetes-object.js';
import type { OperatorGroup } from '../../kernel/api/operator-group.js';
import { isGlobal } from './group-facts.js';

/** Followed by the group's uid; the value is empty (spec: operator-groups.md §1). */
export const GROUP_UID_LABEL_PREFIX = 'olm.operatorgroup.uid/';

const patchLabel = (namespace: string, key: string, value: '' | null): Action => ({
  do: 'patch',
  ref: { ...KIND.Namespace, name: namespace },
  patch: { metadata: { labels: { [key]: value } } },
});

/**
 * Sets the group's label on its target namespaces, and removes it from all others; global groups label
 * nothing.
 */
export function labelTargets(
  group: OperatorGroup,
  targets: readonly string[],
  namespaces: readonly KubernetesObject[],
): readonly Action[] {
  const { uid } = group.metadata;
  if (uid === undefined) return [];
  const key = `${GROUP_UID_LABEL_PREFIX}${uid}`;
  const wanted = isGlobal(targets) ? new Set<string>() : new Set(targets);
  const actions: Action[] = [];
  // Each pass goes through all namespaces of the cluster, possibly thousands.
  for (const { metadata } of namespaces) {
    const { name = '', labels } = metadata;
    const labelled = labels?.[key] !== undefined;
    if (wanted.has(name) !== labelled) actions.push(patchLabel(name, key, labelled ? null : ''));
  }
  return actions;
}

/** Takes labels of groups that are gone off all namespaces; `groups` must be all groups of the cluster. */
export function unlabelOrphans(
  groups: readonly OperatorGroup[],
  namespaces: readonly KubernetesObject[],
): readonly Action[] {
  const live = new Set(groups.map((group) => `${GROUP_UID_LABEL_PREFIX}${group.metadata.uid}`));
  const actions: Action[] = [];
  for (const { metadata } of namespaces) {
    for (const key in metadata.labels) {
      if (key.startsWith(GROUP_UID_LABEL_PREFIX) && !live.has(key))
        actions.push(patchLabel(metadata.name ?? '', key, null));
    }
  }
  return actions;
}
