import { runningBundle } from '#core/view/questions/running-bundle';
import type { HistoryEntry } from '#core/view/rows/history-entry';
import type { OperatorRow } from '#core/view/rows/rows';
import type { FleetTrend } from '../api/pictures.schema.js';
import type { KnownHistory } from '../lists/rollout-pace.js';
import { SPAN_OF, type TrendWindow, trendWindow, windowAnswer } from './trend-window.js';

type TrendFacts = Readonly<{
  now: Date;
  /** Operators that are there now, the most urgent first. */
  operators: readonly OperatorRow[];
  rowOf: (cluster: string, id: string) => OperatorRow | undefined;
}>;

type Trouble = 'failed' | 'blocked';
/** A time of trouble of one operator. */
type Stay = Readonly<{ trouble: Trouble; from: number; to: number }>;

const isTrouble = (standing: string): standing is Trouble => standing === 'failed' || standing === 'blocked';
const keyOf = ({ cluster }: Readonly<{ cluster: string }>, row: string): string => `${cluster}\0${row}`;

/**
 * Counts failed and blocked operators at the end of each of the last 24 hours, and versions that came. The
 * history has each begin and end of trouble. An operator that is gone counts until its last change.
 */
export function fleetTrend({ entries, knownSince }: KnownHistory, { now, operators, rowOf }: TrendFacts): FleetTrend {
  const window = trendWindow(now, SPAN_OF['1d'], knownSince);
  const stays = staysIn(entries, operators);
  const arrivals = entries.filter((one) => isArrival(one, rowOf)).map(({ at }) => Date.parse(at));
  const items = window.ends.map((end, index) => {
    const begin = index === 0 ? firstBegin(window) : (window.ends[index - 1] ?? 0);
    const at = (trouble: Trouble) =>
      stays.filter((stay) => stay.trouble === trouble && stay.from <= end && end < stay.to).length;
    const done = arrivals.filter((time) => time > begin && time <= end).length;
    return { at: new Date(end).toISOString(), failed: at('failed'), blocked: at('blocked'), done };
  });
  return { ...windowAnswer(window, knownSince, now), items };
}

/** Returns the begin of the first known part. */
function firstBegin({ begin, partMs, parts, ends }: TrendWindow): number {
  return begin + (parts - ends.length) * partMs;
}

function staysIn(entries: readonly HistoryEntry[], operators: readonly OperatorRow[]): readonly Stay[] {
  const changes = Map.groupBy(
    entries.filter(({ kind }) => kind === 'standing'),
    (one) => keyOf(one, one.row),
  );
  const troubled = new Map<string, OperatorRow>();
  for (const row of operators) {
    // The most urgent are first.
    if (!isTrouble(row.standing)) break;
    troubled.set(keyOf(row, row.id), row);
  }
  return [...new Set([...changes.keys(), ...troubled.keys()])].flatMap((key) =>
    staysOf(changes.get(key) ?? [], troubled.get(key)),
  );
}

/** Returns the times of trouble of one operator. `changes`: the newest first; `row`: absent if it is well. */
function staysOf(changes: readonly HistoryEntry[], row: OperatorRow | undefined): readonly Stay[] {
  const stays: Stay[] = [];
  let [standing, to]: [string, number] = [row?.standing ?? '', Number.POSITIVE_INFINITY];
  for (const change of changes) {
    const from = Date.parse(change.at);
    if (isTrouble(standing)) stays.push({ trouble: standing, from, to });
    [standing, to] = [change.from, from];
  }
  // Without a change the row says since when. Before its first known change an operator was in that state.
  const since = changes.length === 0 ? Date.parse(row?.since ?? '') : Number.NaN;
  const from = Number.isNaN(since) ? Number.NEGATIVE_INFINITY : since;
  if (isTrouble(standing)) stays.push({ trouble: standing, from, to });
  return stays;
}

/** True if a version came. A Subscription names a bundle as installed before its operator has succeeded. */
function isArrival({ kind, cluster, row, to }: HistoryEntry, rowOf: TrendFacts['rowOf']): boolean {
  if (kind !== 'version' || to === '') return false;
  const operator = rowOf(cluster, row);
  return operator === undefined || operator.installed !== to || runningBundle(operator) === to;
}
