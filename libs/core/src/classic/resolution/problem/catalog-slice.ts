import { CatalogIndex } from '../../../catalog/model/catalog-index.js';
import { PackageInMemory } from '../../../catalog/model/indexed-package.js';
import type { CatalogKey, PackageRecord } from '../../../catalog/model/package-record.js';
import type { Requirement } from '../../../catalog/model/requirement.js';
import { requirementsOf } from '../../../catalog/model/requirements-of.js';
import { byCodeUnit } from '../../../kernel/canonical/canonical-json.js';
import { installedEntries } from './installed-entries.js';
import type { CatalogSlice, DesiredNamespace } from './resolution-problem.js';

export type { CatalogIndex } from '../../../catalog/model/catalog-index.js';

/**
 * A CatalogSource visible to the namespace. Without `index` it has no content to answer from, and `failure`
 * gives the reason.
 */
export type IndexedCatalog = Readonly<{ key: CatalogKey; priority: number; failure?: string; index?: CatalogIndex }>;

/** Indexes a catalog's packages; build it once for each content. */
export const indexCatalog = (records: readonly PackageRecord[]): CatalogIndex =>
  new CatalogIndex(records.map((record) => new PackageInMemory(record)));

/**
 * Returns the part of the catalogs that the desired state can reach, through every requirement of every
 * reached entry. A change outside it cannot change the answer, so it must not change the problem (decision
 * 0103). Catalogs that are not visible to the namespace, and those that are never reached, are left out.
 */
export function sliceCatalogs(
  desiredNamespace: DesiredNamespace,
  catalogs: readonly IndexedCatalog[],
): Readonly<{ slices: CatalogSlice[]; records: Map<string, PackageRecord> }> {
  const visible = catalogs
    .filter(({ key }) => isVisible(key, desiredNamespace))
    .toSorted((a, b) => byCodeUnit(a.key.namespace, b.key.namespace) || byCodeUnit(a.key.name, b.key.name));
  const reached = reach(desiredNamespace, visible);
  const records = new Map<string, PackageRecord>();
  const slices = visible.flatMap((catalog) => {
    const names = reached.get(catalog) ?? new Set();
    const failure = failureOf(catalog);
    const named = desiredNamespace.subscriptions.some((desired) => isSource(desired, catalog.key));
    if (names.size === 0 && failure === undefined && !named) return [];
    const packages = [...names].sort(byCodeUnit).flatMap((name) => {
      const found = catalog.index?.package(name);
      if (found === undefined) return [];
      records.set(found.hash, found.record);
      return [{ name, record: found.hash }];
    });
    const empty = catalog.index?.empty ?? true;
    const { key, priority } = catalog;
    return [{ key, priority, empty, packages, ...(failure === undefined ? {} : { failure }) }];
  });
  return { slices, records };
}

/**
 * A namespace sees its own catalogs and, unless its OperatorGroup excludes them, the global ones
 * (spec: classic-resolution.md §1).
 */
export function isVisible({ namespace }: CatalogKey, desiredNamespace: DesiredNamespace): boolean {
  if (namespace === desiredNamespace.namespace) return true;
  return (
    namespace === desiredNamespace.globalCatalogNamespace &&
    !desiredNamespace.operatorGroups.some((group) => group.excludeGlobal)
  );
}

const isSource = (desired: DesiredNamespace['subscriptions'][number], key: CatalogKey): boolean =>
  desired.source === key.name && desired.sourceNamespace === key.namespace;

function failureOf({ key, failure, index }: IndexedCatalog): string | undefined {
  if (failure !== undefined || index !== undefined) return failure;
  return `no registry client established for catalogsource ${key.namespace}/${key.name}`;
}

function reach(
  desiredNamespace: DesiredNamespace,
  visible: readonly IndexedCatalog[],
): Map<IndexedCatalog, Set<string>> {
  const reached = new Map<IndexedCatalog, Set<string>>(visible.map((catalog) => [catalog, new Set()]));
  const pending: Requirement[] = [...requirementsOfInstalled(desiredNamespace)];
  const take = (catalog: IndexedCatalog, name: string) => {
    const names = reached.get(catalog);
    if (names === undefined || names.has(name)) return;
    names.add(name);
    pending.push(...(catalog.index?.package(name)?.requirements ?? []));
  };
  for (const desired of desiredNamespace.subscriptions) {
    const catalog = visible.find(({ key }) => isSource(desired, key));
    for (const name of catalog?.index?.packagesNamed(desired.package) ?? []) if (catalog) take(catalog, name);
  }
  for (let requirement = pending.pop(); requirement !== undefined; requirement = pending.pop()) {
    for (const catalog of visible) {
      for (const name of catalog.index?.packagesFor(requirement) ?? []) take(catalog, name);
    }
  }
  return reached;
}

function requirementsOfInstalled(desiredNamespace: DesiredNamespace): readonly Requirement[] {
  const installed = installedEntries(desiredNamespace);
  if ('error' in installed) return [];
  return installed.value.flatMap(({ properties }) => {
    const requirements = requirementsOf(properties);
    return 'error' in requirements ? [] : requirements;
  });
}
