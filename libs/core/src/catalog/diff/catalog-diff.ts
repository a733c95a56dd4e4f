import type { Catalog } from '../model/catalog.js';
import type { BrokenInvariant } from './broken-invariant.js';
import { brokenInvariants } from './broken-invariants.js';
import type { CatalogChange } from './catalog-change.js';
import { catalogChanges } from './catalog-changes.js';
import { type PathNote, pathNotes } from './path-notes.js';

/**
 * Changes from one catalog to the next, the upgrade paths that break, and those that change without a break.
 */
export type CatalogDiff = Readonly<{
  changes: readonly CatalogChange[];
  broken: readonly BrokenInvariant[];
  notes: readonly PathNote[];
}>;

/** Compares two valid catalogs. */
export const catalogDiff = (before: Catalog, after: Catalog): CatalogDiff => ({
  changes: catalogChanges(before, after),
  broken: brokenInvariants(before, after),
  notes: pathNotes(before, after),
});
