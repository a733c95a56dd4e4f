import type { OperatorGroup } from '../../kernel/api/operator-group.js';
import { byCodeUnit } from '../../kernel/canonical/canonical-json.js';
import { groupNamespace, isGlobal, isStatic, PROVIDED_APIS_ANNOTATION, targetsOf } from './group-facts.js';

/** One API as `olm.providedAPIs` writes it: `Kind.version.group`. */
const WELL_FORMED = /^[^.]+\.[^.]+\.[^.].*$/;

/**
 * The APIs in a group's annotation; entries that are not `Kind.version.group` are ignored
 * (operator-groups.md §4).
 */
export function annotatedApis(group: OperatorGroup): ReadonlySet<string> {
  const text = group.metadata.annotations?.[PROVIDED_APIS_ANNOTATION] ?? '';
  return new Set(text.split(',').filter((entry) => WELL_FORMED.test(entry)));
}

/** The annotation's value for a set of APIs. */
export const apisText = (apis: ReadonlySet<string>): string => [...apis].sort(byCodeUnit).join(',');

/**
 * Targets and own namespace; a global group is the empty name alone, a group without targets has none (§4).
 */
function reach(group: OperatorGroup): ReadonlySet<string> {
  const targets = targetsOf(group);
  if (targets === undefined) return new Set();
  return isGlobal(targets) ? new Set(targets) : new Set([...targets, groupNamespace(group)]);
}

/** True if two groups have a watched namespace in common. */
function groupsIntersect(one: OperatorGroup, other: OperatorGroup): boolean {
  const [a, b] = [reach(one), reach(other)];
  if (a.size === 0 || b.size === 0) return false;
  return a.has('') || b.has('') || !a.isDisjointFrom(b);
}

/** The effect of a CSV's provided APIs on its group (spec: operator-groups.md §4, table). */
type ApiReconciliation =
  | Readonly<{ result: 'NoAPIConflict' }>
  | Readonly<{ result: 'APIConflict' }>
  | Readonly<{ result: 'StaticGroup' }>
  /** The group's annotation must become this value first. */
  | Readonly<{ result: 'AddAPIs' | 'RemoveAPIs'; annotation: string }>;

/** Decides between a member's provided APIs and those of every group that watches a namespace in common. */
export function reconcileApis(
  provided: ReadonlySet<string>,
  group: OperatorGroup,
  others: readonly OperatorGroup[],
): ApiReconciliation {
  const own = annotatedApis(group);
  const taken = new Set(others.filter((one) => groupsIntersect(group, one)).flatMap((one) => [...annotatedApis(one)]));
  const conflict = !provided.isDisjointFrom(taken);
  if (provided.isSubsetOf(own)) {
    if (!conflict) return { result: 'NoAPIConflict' };
    return isStatic(group)
      ? { result: 'StaticGroup' }
      : { result: 'RemoveAPIs', annotation: apisText(own.difference(provided)) };
  }
  if (conflict) return { result: 'APIConflict' };
  if (isStatic(group)) return { result: 'StaticGroup' };
  const annotation = apisText(own.union(provided));
  // An API that the annotation cannot name would be added again and again.
  if (group.metadata.annotations?.[PROVIDED_APIS_ANNOTATION] === annotation) return { result: 'NoAPIConflict' };
  return { result: 'AddAPIs', annotation };
}
