import type { DeprecationEntry } from '../../catalog/model/catalog.js';
import type { PackageBundle } from './package-content.js';

/** The best bundle of one catalog. */
export type CatalogCandidate = Readonly<{
  catalog: string;
  priority: number;
  bundle: PackageBundle;
  deprecation: readonly DeprecationEntry[] | undefined;
}>;

/**
 * Returns the remaining candidates of the catalogs, in list order. A deprecated one is dropped if another is
 * not deprecated (spec: v1-resolution.md, "Steps", item 6).
 */
export function withoutNeedlesslyDeprecated(candidates: readonly CatalogCandidate[]): readonly CatalogCandidate[] {
  const current = candidates.filter(({ bundle }) => !bundle.deprecated);
  return current.length === 0 ? candidates : current;
}

/**
 * Returns the candidate of highest priority, of any version. Returns all candidates if the two highest have
 * the same priority (§7).
 */
export function byPriority(candidates: readonly CatalogCandidate[]): readonly CatalogCandidate[] {
  const [first, second] = candidates.toSorted((a, b) => b.priority - a.priority);
  return first === undefined || first.priority === second?.priority ? candidates : [first];
}
