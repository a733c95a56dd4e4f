import { packageRecords } from '#core/catalog/load/package-records';
import type { Catalog } from '#core/catalog/model/catalog';
import type { PackageRecord } from '#core/catalog/model/package-record';
import {
  type CatalogIndex,
  type IndexedCatalog,
  indexCatalog,
  sliceCatalogs,
} from '#core/classic/resolution/problem/catalog-slice';
import { desiredNamespaceOf } from '#core/classic/resolution/problem/desired-namespace';
import type {
  ObservedNamespace,
  Resolution,
  ResolutionProblem,
} from '#core/classic/resolution/problem/resolution-problem';
import { resolve } from '#core/classic/resolution/resolve';
import { type ResolvedPath, resolvePath } from '#core/classic/upgrade-path/resolve-path';
import { canonicalHash } from '#core/kernel/canonical/canonical-json';

/** The index of a catalog held in memory. Inline manifests are named by a digest over them. */
export const indexOf = (catalog: Catalog): CatalogIndex =>
  indexCatalog(packageRecords(catalog, ({ objects }) => `sha256:${canonicalHash(objects)}`));

/** `record` gives the package records that the problem names. */
export type OfflineResolution = Readonly<{
  problem: ResolutionProblem;
  resolution: Resolution;
  record: (hash: string) => PackageRecord;
}>;

/** Resolves a namespace on the spot, by the same way the services take. */
export function resolveOffline(observed: ObservedNamespace, catalogs: readonly IndexedCatalog[]): OfflineResolution {
  const desired = desiredNamespaceOf(observed);
  const { slices, records } = sliceCatalogs(desired, catalogs);
  const problem: ResolutionProblem = { v: 1, wishes: desired, catalogs: slices };
  const record = (hash: string) => recordIn(records, hash);
  return { problem, resolution: resolve(problem, record), record };
}

/** Resolves all InstallPlans that would follow each other, in the same way. */
export function pathOffline(observed: ObservedNamespace, catalogs: readonly IndexedCatalog[]): ResolvedPath {
  const desired = desiredNamespaceOf(observed);
  const { slices, records } = sliceCatalogs(desired, catalogs);
  return resolvePath({ v: 1, wishes: desired, catalogs: slices }, (hash) => recordIn(records, hash));
}

function recordIn(records: ReadonlyMap<string, PackageRecord>, hash: string): PackageRecord {
  const record = records.get(hash);
  if (record === undefined) throw new Error(`package record ${hash} is not part of the slice`);
  return record;
}
