import type { OperatorRow } from '#core/fleet/view/rows';
import type { PackageSpread } from '../api/lists.schema.js';
import type { RowColumns } from './filter.js';
import type { FleetRows } from './fleet-rows.js';
import { byText } from './sorted-rows.js';

const MOST_VERSIONS = 8;
const MOST_CATALOGS = 20;

export const packageColumns: RowColumns<PackageSpread> = {
  package: (row) => row.package,
  catalog: (row) => row.catalogs,
  clusters: (row) => row.clusters,
  operators: (row) => row.operators,
  newest: (row) => row.newest,
  upToDate: (row) => row.upToDate / Math.max(1, row.operators),
  deprecated: (row) => String(row.deprecated > 0),
};

function mostFrequent(values: Iterable<string>): [string, number][] {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].toSorted((a, b) => b[1] - a[1] || byText(a[0], b[0]));
}

const isUpToDate = ({ installed, newest }: OperatorRow): boolean =>
  installed !== '' && (newest === '' || newest === installed);

/** All operators of one package. */
function spreadOf(name: string, rows: readonly OperatorRow[]): PackageSpread {
  const counts = { failed: 0, blocked: 0, 'needs-approval': 0, 'under-way': 0, well: 0 };
  for (const { standing } of rows) counts[standing] += 1;
  const bundles = Map.groupBy(
    rows.filter(({ installed }) => installed !== ''),
    ({ installed }) => installed,
  );
  const versions = [...bundles]
    .map(([bundle, own]) => ({
      bundle,
      version: own[0]?.version ?? '',
      clusters: new Set(own.map(({ cluster }) => cluster)).size,
    }))
    .toSorted((a, b) => b.clusters - a.clusters || byText(b.bundle, a.bundle));
  const catalogs = mostFrequent(rows.map(({ catalog }) => catalog).filter(Boolean));
  const [newest] = mostFrequent(rows.map((row) => row.newest).filter(Boolean));
  return {
    package: name,
    clusters: new Set(rows.map(({ cluster }) => cluster)).size,
    operators: rows.length,
    newest: newest?.[0] ?? '',
    upToDate: rows.filter(isUpToDate).length,
    versions: versions.slice(0, MOST_VERSIONS),
    other: versions.slice(MOST_VERSIONS).reduce((sum, { clusters }) => sum + clusters, 0),
    counts,
    catalogs: catalogs.slice(0, MOST_CATALOGS).map(([catalog]) => catalog),
    deprecated: rows.filter(({ deprecated }) => deprecated).length,
  };
}

/** By name. */
export const packageSpreads = (
  { operatorsByPackage }: FleetRows,
  keep: (row: OperatorRow) => boolean = () => true,
): PackageSpread[] =>
  [...Map.groupBy(operatorsByPackage.filter(keep), (row) => row.package)].map(([name, rows]) => spreadOf(name, rows));

/** The packages with most operators behind. */
export const furthestBehind = (spreads: readonly PackageSpread[], most: number): PackageSpread[] =>
  spreads
    .toSorted((a, b) => b.operators - b.upToDate - (a.operators - a.upToDate) || byText(a.package, b.package))
    .slice(0, most);
