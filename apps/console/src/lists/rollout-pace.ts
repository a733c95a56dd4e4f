import type { HistoryEntry } from '#core/view/rows/history-entry';
import type { RolloutPace, RolloutSummary } from '../api/lists.schema.js';

const MINUTE = 60_000;
const PART = 5 * MINUTE;
const PARTS = 12;
/** With fewer clusters a pace predicts nothing. */
const FEWEST_CLUSTERS = 5;
const SHORTEST = 10 * MINUTE;

export type KnownHistory = Readonly<{ entries: readonly HistoryEntry[]; knownSince: string }>;
type Paced = Pick<RolloutSummary, 'package' | 'target' | 'phase' | 'startedAt' | 'finishedAt' | 'waves' | 'classes'>;

/** `unfinished`: clusters that name the target as installed and do not run it. */
type PaceFacts = Readonly<{ now: Date; unfinished: ReadonlySet<string> }>;

/**
 * Counts clusters that came to the target of a rollout in the last hour, or since the history starts.
 * Estimates the time of the others at this pace only if nothing but work is between them and the target: no
 * wave that has yet to open, no soak, no approval.
 */
export function rolloutPace(
  of: Paced,
  { entries, knownSince }: KnownHistory,
  { now, unfinished }: PaceFacts,
): RolloutPace | undefined {
  const end = (of.finishedAt === '' ? now : new Date(of.finishedAt)).getTime();
  const since = Math.max(end - PARTS * PART, timeOf(knownSince, end), timeOf(of.startedAt, 0));
  if (!(since < end)) return undefined;
  const arrived = new Map<string, number>();
  for (const entry of entries) {
    const at = Date.parse(entry.at);
    if (!isArrival(entry, of) || unfinished.has(entry.cluster)) continue;
    if (at >= since && at <= end) arrived.set(entry.cluster, at);
  }
  const parts = Array.from({ length: PARTS }, () => 0);
  for (const at of arrived.values()) {
    const part = Math.min(PARTS - 1, PARTS - Math.ceil((end - at) / PART));
    parts[part] = (parts[part] ?? 0) + 1;
  }
  const minutes = Math.max(1, Math.round((end - since) / MINUTE));
  const pace = { clusters: arrived.size, minutes, parts };
  const left = clustersAtWork(of);
  if (left === 0 || arrived.size < FEWEST_CLUSTERS || end - since < SHORTEST) return pace;
  return { ...pace, left, leftMinutes: Math.ceil((left * minutes) / arrived.size) };
}

const timeOf = (time: string, otherwise: number): number => {
  const at = Date.parse(time);
  return Number.isNaN(at) ? otherwise : at;
};

const isArrival = ({ kind, package: name, to }: HistoryEntry, of: Paced): boolean =>
  to === of.target && (kind === 'digest' || (kind === 'version' && name === of.package));

/** Counts the clusters that only work keeps from the target; 0 if anything else keeps one. */
function clustersAtWork({ phase, finishedAt, waves, classes }: Paced): number {
  const isMoving = finishedAt === '' && phase === 'Progressing' && classes.length === 0;
  const open = waves.filter((wave) => wave.phase !== 'Complete');
  if (!isMoving || !open.every((wave) => wave.phase === 'Open' || wave.phase === 'Progressing')) return 0;
  const underWay = open.reduce((sum, wave) => sum + wave.underWay, 0);
  const waiting = open.reduce((sum, wave) => sum + wave.waiting - wave.skipped, 0);
  // If the clusters lead themselves, waiting clusters wait for an approval.
  const isDerived = open.some((wave) => wave.phase === 'Progressing');
  return underWay === 0 || (isDerived && waiting > 0) ? 0 : underWay + waiting;
}
