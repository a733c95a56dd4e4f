import type { FleetWindow } from '../../kernel/api/fleet/fleet-window.js';
import { readSelector } from '../../kernel/labels/label-selector.js';
import { clusterSelector, type SelectsCluster, selectorProblem } from '../placement/select-clusters.js';
import { durationMs } from '../placement/waves.js';
import { type SpanAt, scheduleProblem, spansOf } from './window-times.js';

/** A rollout's subject, as windows select it. */
type WindowSubject = Readonly<{ kind: string; labels: Readonly<Record<string, string>> }>;

/** A window with its rules read. */
export type WindowRules = Readonly<{
  name: string;
  type: 'Allow' | 'Deny';
  isFreeze: boolean;
  /** The time zone of its times. */
  zone: string;
  /** True if it concerns each subject. */
  isForAll: boolean;
  needs: number;
  breakGlassGroups: readonly string[];
  spanAt: SpanAt;
  selects: SelectsCluster;
  concerns: (subject: WindowSubject) => boolean;
  /** The reason why it cannot be read. It holds everything that it may concern until it is fixed. */
  problem: string | undefined;
}>;

export type WindowHold = 'Frozen' | 'Window';

/** Returns the unreadable part of a window, or undefined. */
export function windowProblem(window: FleetWindow): string | undefined {
  const times = scheduleProblem(window);
  if (times !== undefined) return times;
  const { clusters, subjects } = window.spec;
  const problem = selectorProblem(clusters);
  if (problem !== undefined) return `spec.clusters: ${problem}`;
  const bySelector = readSelector(subjects?.selector);
  return typeof bySelector === 'function' ? undefined : `spec.subjects.selector: ${bySelector.error}`;
}

/** The clusters that a window concerns; of a selector that cannot be read only the part that can counts. */
function selectsOf({ spec }: FleetWindow): SelectsCluster {
  if (selectorProblem(spec.clusters) === undefined) return clusterSelector(spec.clusters);
  const byLabels = readSelector(spec.clusters?.selector);
  return typeof byLabels === 'function' ? ({ labels }) => byLabels(labels) : () => true;
}

/** A Deny that cannot be read is always active, an Allow never. */
const spansOfUnread = ({ spec }: FleetWindow): SpanAt =>
  spec.type === 'Allow' ? () => undefined : () => ({ start: Number.NEGATIVE_INFINITY, end: Number.POSITIVE_INFINITY });

/**
 * Reads a window. An unreadable window holds everything that it may concern: a freeze with an error must not
 * let changes through, and it must not stop other windows. `unreadable`: the reason why its object
 * cannot be read.
 */
export function windowRules(window: FleetWindow, unreadable?: string): WindowRules {
  const problem = unreadable ?? windowProblem(window);
  const { type, schedule, period, needs, breakGlassGroups, subjects } = window.spec;
  const bySelector = readSelector(subjects?.selector);
  return {
    name: window.metadata.name,
    type,
    isFreeze: type === 'Deny' && schedule === undefined && period === undefined,
    zone: schedule?.timeZone ?? 'UTC',
    isForAll: subjects === undefined,
    needs: durationMs(needs),
    breakGlassGroups,
    spanAt: problem === undefined ? spansOf(window) : spansOfUnread(window),
    selects: selectsOf(window),
    concerns: ({ kind, labels }) =>
      (subjects?.kinds === undefined || subjects.kinds.some((one) => one === kind)) &&
      (typeof bySelector !== 'function' || bySelector(labels)),
    problem,
  };
}

/** True if a window is active, with at least `left` milliseconds to go. */
export function isActive({ spanAt }: WindowRules, now: number, left = 0): boolean {
  const span = spanAt(now);
  return span !== undefined && span.start <= now && span.end - now >= Math.max(left, 1);
}

/**
 * Returns the hold of a cluster by the windows that match it: an active Deny, or Allows without an active
 * one. A start needs the time that an Allow demands. A hop only needs the Allow to be active.
 */
export function windowHold(matching: readonly WindowRules[], now: number, isStart: boolean): WindowHold | undefined {
  const denies = matching.filter((window) => window.type === 'Deny' && isActive(window, now));
  if (denies.some(({ isFreeze }) => isFreeze)) return 'Frozen';
  if (denies.length > 0) return 'Window';
  const allows = matching.filter(({ type }) => type === 'Allow');
  if (allows.length === 0) return undefined;
  return allows.some((window) => isActive(window, now, isStart ? window.needs : 0)) ? undefined : 'Window';
}

/** True if a Deny is active. Returns of clusters that are Done honour only these. */
export const isDenied = (matching: readonly WindowRules[], now: number): boolean =>
  matching.some((window) => window.type === 'Deny' && isActive(window, now));

/** Returns the next instant at which the answer of {@link windowHold} can change. */
export function nextChange(windows: readonly WindowRules[], now: number): number | undefined {
  const times = windows.flatMap(({ spanAt, needs }) => {
    const span = spanAt(now);
    if (span === undefined) return [];
    // With exactly the time that is needed left a start is possible, one millisecond later it is not.
    return [span.start, span.end, span.end - needs + 1].filter((time) => time > now && Number.isFinite(time));
  });
  return times.length === 0 ? undefined : Math.min(...times);
}
