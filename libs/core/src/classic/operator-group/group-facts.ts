import type { OperatorGroup } from '../../kernel/api/operator-group.js';
import { byCodeUnit } from '../../kernel/canonical/canonical-json.js';

/** `status.namespaces` of a group that selects all namespaces holds this one name. */
export const ALL_NAMESPACES = '';

export const PROVIDED_APIS_ANNOTATION = 'olm.providedAPIs';

/** Annotations that make a CSV a member of its group (spec: operator-groups.md §3). */
const GROUP_ANNOTATION = 'olm.operatorGroup';
const GROUP_NAMESPACE_ANNOTATION = 'olm.operatorNamespace';
export const TARGET_NAMESPACES_ANNOTATION = 'olm.targetNamespaces';

export const groupName = (group: OperatorGroup): string => group.metadata.name ?? '';
export const groupNamespace = (group: OperatorGroup): string => group.metadata.namespace ?? '';

/** Target namespaces as the group's status has them, sorted; undefined while none were ever found. */
export function targetsOf(group: OperatorGroup): readonly string[] | undefined {
  const namespaces = group.status?.namespaces ?? [];
  return namespaces.length === 0 ? undefined : namespaces.toSorted(byCodeUnit);
}

export const isGlobal = (targets: readonly string[] | undefined): boolean => targets?.[0] === ALL_NAMESPACES;

/** Returns the annotations of the group's members: no targets while none are known. */
export function memberAnnotations(group: OperatorGroup): Readonly<Record<string, string>> {
  const targets = targetsOf(group);
  return {
    [GROUP_ANNOTATION]: groupName(group),
    [GROUP_NAMESPACE_ANNOTATION]: groupNamespace(group),
    ...(targets === undefined ? {} : { [TARGET_NAMESPACES_ANNOTATION]: targets.join(',') }),
  };
}

export const isFailForward = (group: OperatorGroup): boolean =>
  group.spec?.upgradeStrategy === 'TechPreviewUnsafeFailForward';

export const isStatic = (group: OperatorGroup): boolean => group.spec?.staticProvidedAPIs === true;
