import { canonicalHash } from '#core/canonical/canonical-json';
import type { Catalog } from '#core/catalog/catalog';
import { type CatalogIndex, type IndexedCatalog, indexCatalog, sliceCatalogs } from '#core/resolution/catalog-slice';
import { packageRecords } from '#core/resolution/package-records';
import type {
  ObservedNamespace,
  PackageRecord,
  Resolution,
  ResolutionProblem,
} from '#core/resolution/resolution-problem';
import { resolve } from '#core/resolution/resolve';
import { wishesOf } from '#core/resolution/wishes';

/** The index of a catalog held in memory. Inline manifests are named by a digest over them. */
export const indexOf = (catalog: Catalog): CatalogIndex =>
  indexCatalog(packageRecords(catalog, ({ objects }) => `sha256:${canonicalHash(objects)}`));

/** Resolves a namespace on the spot, by the same way the services take. */
export function resolveOffline(
  observed: ObservedNamespace,
  catalogs: readonly IndexedCatalog[],
): Readonly<{ problem: ResolutionProblem; resolution: Resolution }> {
  const wishes = wishesOf(observed);
  const { slices, records } = sliceCatalogs(wishes, catalogs);
  const problem: ResolutionProblem = { v: 1, wishes, catalogs: slices };
  return { problem, resolution: resolve(problem, (hash) => recordIn(records, hash)) };
}

function recordIn(records: ReadonlyMap<string, PackageRecord>, hash: string): PackageRecord {
  const record = records.get(hash);
  if (record === undefined) throw new Error(`package record ${hash} is not part of the slice`);
  return record;
}
