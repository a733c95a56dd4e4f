import type { SelectorFailure } from '../placement/select-clusters.js';
import { namedClusters } from './operator-conditions.js';

/** A cluster for which the expression of a selector fails. */
export type FailedCluster = SelectorFailure & Readonly<{ cluster: string }>;

/** In one line: the first field with an expression that fails, the clusters there, the error on the first. */
export function selectorFailureText(failed: readonly FailedCluster[]): string | undefined {
  const [first] = failed;
  if (first === undefined) return undefined;
  const { field, error } = first;
  const names = failed.filter((one) => one.field === field).map(({ cluster }) => cluster);
  return `${field} does not select ${namedClusters(names)}, where its expression fails: ${error}`;
}
