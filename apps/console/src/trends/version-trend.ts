import { parseTolerant } from '#core/kernel/versions/blang-version';
import { compareVersions } from '#core/kernel/versions/version';
import { runningBundle } from '#core/view/questions/running-bundle';
import type { HistoryEntry } from '#core/view/rows/history-entry';
import type { OperatorRow } from '#core/view/rows/rows';
import type { VersionTrend, VersionTrendQuery } from '../api/pictures.schema.js';
import type { KnownHistory } from '../lists/rollout-pace.js';
import { byText } from '../rows/sorted-rows.js';
import { SPAN_OF, trendWindow, windowAnswer } from './trend-window.js';

const MOST_VERSIONS = 12;

type VersionFacts = Readonly<{
  now: Date;
  /** Operators that are there now. */
  operators: readonly OperatorRow[];
  query: VersionTrendQuery;
}>;

/** Clusters that had a bundle, for each time. */
type Spread = ReadonlyMap<string, readonly Set<string>[]>;

/**
 * Counts clusters by the version of a package at the end of each part of the window. An operator had its
 * version until the first known change after that time. Without a change it counts with its present one.
 */
export function versionTrend({ entries, knownSince }: KnownHistory, facts: VersionFacts): VersionTrend {
  const { now, operators, query } = facts;
  const window = trendWindow(now, SPAN_OF[query.span], knownSince);
  const { ends } = window;
  const own = operators.filter((one) => one.package === query.package);
  const changes = entries.filter((one) => one.kind === 'version' && one.package === query.package);
  const spread = spreadOf(changes, own, ends);
  const counts = [...spread].map(([bundle, sets]) => ({
    ...{ bundle, version: versionOf(bundle, own) },
    clusters: sets.map(({ size }) => size),
  }));
  const byWeight = counts.toSorted((a, b) => sum(b.clusters) - sum(a.clusters) || byText(a.bundle, b.bundle));
  const [shown, rest] = [byWeight.slice(0, MOST_VERSIONS), byWeight.slice(MOST_VERSIONS)];
  return {
    ...windowAnswer(window, knownSince, now),
    times: ends.map((end) => new Date(end).toISOString()),
    clusters: ends.map((_, at) => new Set([...spread.values()].flatMap((sets) => [...(sets[at] ?? [])])).size),
    versions: shown.toSorted(newestFirst),
    otherVersions: rest.length,
    other: ends.map((_, at) => sum(rest.map(({ clusters }) => clusters[at] ?? 0))),
  };
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0);

function spreadOf(changes: readonly HistoryEntry[], own: readonly OperatorRow[], ends: readonly number[]): Spread {
  const spread = new Map<string, Set<string>[]>();
  const keyOf = (cluster: string, row: string) => `${cluster}\0${row}`;
  const byRow = Map.groupBy(changes, ({ cluster, row }) => keyOf(cluster, row));
  const rows = new Map(own.map((row) => [keyOf(row.cluster, row.id), row]));
  for (const key of new Set([...rows.keys(), ...byRow.keys()])) {
    const cluster = key.slice(0, key.indexOf('\0'));
    for (const [at, bundle] of bundlesOf(rows.get(key), byRow.get(key) ?? [], ends).entries()) {
      if (bundle === '') continue;
      const sets = spread.get(bundle) ?? ends.map(() => new Set<string>());
      spread.set(bundle, sets);
      sets[at]?.add(cluster);
    }
  }
  return spread;
}

/** Returns the bundle of one operator at each time. `changes`: newest first; `row`: absent if it is gone. */
function bundlesOf(row: OperatorRow | undefined, changes: readonly HistoryEntry[], ends: readonly number[]): string[] {
  let bundle = row === undefined ? '' : runningBundle(row);
  // A bundle that is named as installed and does not run has not come.
  const isUnfinished = row !== undefined && row.installed !== bundle && changes[0]?.to === row.installed;
  const open = isUnfinished ? changes.slice(1) : [...changes];
  const bundles: string[] = [];
  for (const end of ends.toReversed()) {
    for (let next = open[0]; next !== undefined && Date.parse(next.at) > end; next = open[0]) {
      bundle = next.from;
      open.shift();
    }
    bundles.push(bundle);
  }
  return bundles.reverse();
}

/** Returns the version of a bundle: as a row has it, or from its name. */
const versionOf = (bundle: string, own: readonly OperatorRow[]): string =>
  own.find(({ installed }) => installed === bundle)?.version || (/\.v?(\d.*)$/.exec(bundle)?.[1] ?? bundle);

type Versioned = Readonly<{ bundle: string; version: string }>;

/** Orders by version, the newest first; names without a version come last. */
function newestFirst(a: Versioned, b: Versioned): number {
  const [left, right] = [parseTolerant(a.version), parseTolerant(b.version)];
  if ('error' in left || 'error' in right) {
    return Number('error' in left) - Number('error' in right) || byText(a.bundle, b.bundle);
  }
  return compareVersions(right, left) || byText(a.bundle, b.bundle);
}
