import { isUpToDate, runningBundle } from '#core/view/questions/running-bundle';
import type { OperatorRow } from '#core/view/rows/rows';
import type { PackageSpread } from '../api/lists.schema.js';
import type { FleetRows } from '../rows/fleet-rows.js';
import { byText } from '../rows/sorted-rows.js';
import { everyRow, type RowColumns } from './filter.js';

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

/** Counts of values. */
type Counted = Map<string, number>;
const addTo = (counts: Counted, value: string): void => {
  if (value !== '') counts.set(value, (counts.get(value) ?? 0) + 1);
};
const mostFrequent = (counts: Counted): [string, number][] =>
  [...counts].toSorted((a, b) => b[1] - a[1] || byText(a[0], b[0]));

type BundleCount = { bundle: string; version: string; clusters: number; last: string };

/** All operators of one package, by cluster. Each row is read once: a fleet has many. */
function spreadOf(name: string, rows: readonly OperatorRow[]): PackageSpread {
  const counts = { failed: 0, blocked: 0, 'needs-approval': 0, 'under-way': 0, well: 0 };
  const bundles = new Map<string, BundleCount>();
  const [catalogs, newest]: [Counted, Counted] = [new Map(), new Map()];
  let [clusters, upToDate, deprecated, idle, last, lastIdle] = [0, 0, 0, 0, '', ''];
  for (const row of rows) {
    counts[row.standing] += 1;
    if (row.cluster !== last) clusters += 1;
    last = row.cluster;
    const bundle = runningBundle(row);
    if (row.deprecated) deprecated += 1;
    if (isUpToDate(row)) upToDate += 1;
    addTo(catalogs, row.catalog);
    addTo(newest, row.newest);
    if (bundle !== '') addBundle(bundles, bundle, row);
    else if (row.cluster !== lastIdle) {
      idle += 1;
      lastIdle = row.cluster;
    }
  }
  const versions = [...bundles.values()]
    .map(({ last: _last, ...one }) => one)
    .toSorted((a, b) => b.clusters - a.clusters || byText(b.bundle, a.bundle));
  return {
    ...{ package: name, clusters, operators: rows.length, newest: mostFrequent(newest)[0]?.[0] ?? '', upToDate },
    versions: versions.slice(0, MOST_VERSIONS),
    other: versions.slice(MOST_VERSIONS).reduce((sum, one) => sum + one.clusters, 0),
    idle,
    counts,
    catalogs: mostFrequent(catalogs)
      .slice(0, MOST_CATALOGS)
      .map(([catalog]) => catalog),
    deprecated,
  };
}

/** Returns the version of a bundle that runs. Next to a newer one only its name is known. */
const versionOf = (bundle: string, { installed, version }: OperatorRow): string =>
  bundle === installed ? version : (/\.v?(\d.*)$/.exec(bundle)?.[1] ?? bundle);

/** Adds a bundle that runs. Several operators in one cluster count once. */
function addBundle(bundles: Map<string, BundleCount>, bundle: string, row: OperatorRow): void {
  const { cluster } = row;
  const known = bundles.get(bundle);
  if (known === undefined) bundles.set(bundle, { bundle, version: versionOf(bundle, row), clusters: 1, last: cluster });
  else if (known.last !== cluster) {
    known.clusters += 1;
    known.last = cluster;
  }
}

/** Operators of one package each; they lie by package. */
function* runsOf(rows: readonly OperatorRow[]): Iterable<readonly OperatorRow[]> {
  let begin = 0;
  for (let at = 1; at <= rows.length; at += 1) {
    if (rows[at]?.package === rows[begin]?.package) continue;
    if (begin < rows.length) yield rows.slice(begin, at);
    begin = at;
  }
}

/** The last spread of each package with the rows that it is of: few packages change between two questions. */
const kept = new Map<string, Readonly<{ rows: readonly OperatorRow[]; spread: PackageSpread }>>();
const MOST_KEPT = 5_000;

const isSame = (a: readonly OperatorRow[], b: readonly OperatorRow[]): boolean =>
  a.length === b.length && a.every((row, at) => row === b[at]);

function keptSpreadOf(rows: readonly OperatorRow[]): PackageSpread {
  const name = rows[0]?.package ?? '';
  const before = kept.get(name);
  if (before !== undefined && isSame(before.rows, rows)) return before.spread;
  const spread = spreadOf(name, rows);
  if (before !== undefined || kept.size < MOST_KEPT) kept.set(name, { rows, spread });
  return spread;
}

/** By name. */
export const packageSpreads = (
  { operatorsByPackage }: FleetRows,
  keep: (row: OperatorRow) => boolean = everyRow,
): PackageSpread[] =>
  keep === everyRow
    ? [...runsOf(operatorsByPackage)].map(keptSpreadOf)
    : [...runsOf(operatorsByPackage.filter(keep))].map((rows) => spreadOf(rows[0]?.package ?? '', rows));

/** The packages with most operators behind. */
export const furthestBehind = (spreads: readonly PackageSpread[], most: number): PackageSpread[] =>
  spreads
    .toSorted((a, b) => b.operators - b.upToDate - (a.operators - a.upToDate) || byText(a.package, b.package))
    .slice(0, most);
