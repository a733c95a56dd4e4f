import type { ClusterServiceVersion } from '../../../kernel/api/cluster-service-version.js';
import { csvName, isCopied } from '../../../kernel/api/csv-facts.js';
import { byCodeUnit } from '../../../kernel/canonical/canonical-json.js';

type Csvs = readonly ClusterServiceVersion[];

/** A CSV that names itself in `spec.replaces` replaces nothing (spec: csv-lifecycle.md §3). */
const replaces = (csv: ClusterServiceVersion): string | undefined =>
  csv.spec.replaces === csvName(csv) ? undefined : csv.spec.replaces || undefined;

/** The CSV of the namespace that `csv` replaces, when there is one. */
export function predecessorOf(csv: ClusterServiceVersion, csvs: Csvs): ClusterServiceVersion | undefined {
  const name = replaces(csv);
  return name === undefined ? undefined : csvs.find((one) => csvName(one) === name && !isCopied(one));
}

/** The CSV that names `csv` in `spec.replaces`; the first by name when several do. */
export function replacementOf(csv: ClusterServiceVersion, csvs: Csvs): ClusterServiceVersion | undefined {
  const candidates = csvs.filter((one) => !isCopied(one) && replaces(one) === csvName(csv));
  return candidates.toSorted((a, b) => byCodeUnit(csvName(a), csvName(b)))[0];
}

/** Steps along `next` from `start` (left out) until the chain ends or closes to a cycle. */
function walk(
  start: ClusterServiceVersion,
  next: (csv: ClusterServiceVersion) => ClusterServiceVersion | undefined,
): readonly ClusterServiceVersion[] {
  const seen = new Set([csvName(start)]);
  const chain: ClusterServiceVersion[] = [];
  for (let at = next(start); at !== undefined && !seen.has(csvName(at)); at = next(at)) {
    seen.add(csvName(at));
    chain.push(at);
  }
  return chain;
}

/** Returns the CSVs that `csv` replaces, directly and transitively, nearest first. */
export const predecessors = (csv: ClusterServiceVersion, csvs: Csvs): readonly ClusterServiceVersion[] =>
  walk(csv, (one) => predecessorOf(one, csvs));

/** Returns the CSVs that replace `csv`, directly and transitively, nearest first. */
export const successors = (csv: ClusterServiceVersion, csvs: Csvs): readonly ClusterServiceVersion[] =>
  walk(csv, (one) => replacementOf(one, csvs));

/**
 * True if a CSV in phase Replacing may be deleted: it is the oldest of its chain, and its successor has
 * Succeeded. A successor that is being replaced itself is passed over. Otherwise the chain would wait forever
 * if a further upgrade overtakes the clean-up of the last one. Fail-forward groups ask the last of the chain
 * (spec: csv-lifecycle.md §3).
 */
export function mayBeDeleted(csv: ClusterServiceVersion, csvs: Csvs, failForward: boolean): boolean {
  if (predecessorOf(csv, csvs) !== undefined) return false;
  const chain = successors(csv, csvs);
  const decider = failForward ? chain.at(-1) : chain.find((one) => one.status?.phase !== 'Replacing');
  return decider?.status?.phase === 'Succeeded';
}
