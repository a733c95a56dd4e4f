import type { SelectorFailure } from '../placement/select-clusters.js';
import { namedClusters } from './operator-conditions.js';

/** A cluster for which the expression of a selector fails. */
export type FailedCluster = SelectorFailure & Readonly<{ cluster: string }>;

/**
 * Returns the failures in one line: the first field with a failing expression, the clusters there, the error
 * on the first.
 */
export function selectorFailureText(failed: readonly FailedCluster[]): string | undefined {
  const [first] = failed;
  if (first === undefined) return undefined;
  const { field, error } = first;
  const names = failed.filter((one) => one.field === field).map(({ cluster }) => cluster);
  return `${field} does not select ${namedClusters(names)}, because its expression fails there: ${error}`;
}
