import type { Property } from '../../catalog/model/catalog.js';
import type { EntryRecord, PackageRecord } from '../../catalog/model/package-record.js';
import { type IndexedCatalog, indexCatalog, sliceCatalogs } from './problem/catalog-slice.js';
import type {
  DesiredNamespace,
  DesiredSubscription,
  Resolution,
  ResolutionProblem,
} from './problem/resolution-problem.js';
import { resolve } from './resolve.js';
import type { SearchBudget } from './search/preference-search.js';

// Small problems in few words, for tests and examples.

/** `name.vVERSION` in channel stable, with the olm.package property that every bundle has. */
export function sampleEntry(
  pkg: string,
  version: string,
  properties: readonly Property[] = [],
  more: Partial<EntryRecord> = {},
): EntryRecord {
  return {
    name: `${pkg}.v${version}`,
    channel: 'stable',
    version,
    replaces: '',
    skips: [],
    skipRange: '',
    properties: [{ type: 'olm.package', value: { packageName: pkg, version } }, ...properties],
    source: { image: `registry.test/${pkg}:${version}` },
    ...more,
  };
}

export const samplePackage = (name: string, ...entries: EntryRecord[]): PackageRecord => ({
  name,
  defaultChannel: 'stable',
  entries,
});

export const needsPackage = (packageName: string, versionRange: string): Property => ({
  type: 'olm.package.required',
  value: { packageName, versionRange },
});

export const providesApi = (kind: string): Property => ({
  type: 'olm.gvk',
  value: { group: 'sample.test', version: 'v1', kind },
});

export const needsApi = (kind: string): Property => ({ ...providesApi(kind), type: 'olm.gvk.required' });

/** A Subscription `name` to channel stable of package `name` in catalog olm/shelf. */
export const sampleSubscription = (name: string, more: Partial<DesiredSubscription> = {}): DesiredSubscription => ({
  name,
  package: name,
  channel: 'stable',
  startingCSV: '',
  source: 'shelf',
  sourceNamespace: 'olm',
  installedCSV: '',
  currentCSV: '',
  ...more,
});

/** Returns the desired state of namespace `team` with one OperatorGroup. */
export const sampleNamespace = (more: Partial<DesiredNamespace> = {}): DesiredNamespace => ({
  namespace: 'team',
  globalCatalogNamespace: 'olm',
  operatorGroups: [{ name: 'group', upgradeStrategy: '', excludeGlobal: false }],
  subscriptions: [],
  csvs: [],
  ...more,
});

/** A healthy catalog of the global namespace. */
export const sampleCatalog = (name: string, ...records: PackageRecord[]): IndexedCatalog => ({
  key: { namespace: 'olm', name },
  priority: 0,
  index: indexCatalog(records),
});

/** Problem and answer of the desired state on the catalogs, as the services make them. */
export function sampleResolution(
  desired: DesiredNamespace,
  catalogs: readonly IndexedCatalog[],
  budget?: SearchBudget,
): Readonly<{ problem: ResolutionProblem; resolution: Resolution }> {
  const { slices, records } = sliceCatalogs(desired, catalogs);
  const problem: ResolutionProblem = { v: 1, wishes: desired, catalogs: slices };
  const record = (hash: string) => records.get(hash) ?? samplePackage(hash);
  return { problem, resolution: resolve(problem, record, budget) };
}
