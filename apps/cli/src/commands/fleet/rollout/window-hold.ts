import { shortDuration } from '#core/kernel/durations/short-duration';
import type { FleetSubject } from '#core/rollout/controller/record/subjects';
import { windowAnswer, zonedTime } from '#core/rollout/windows/window-answer';
import type { WindowRules } from '#core/rollout/windows/window-rules';
import type { LiveFleet } from '#lifecycle/rollouts/controller/state/live-fleet';

/** The windows that hold a cluster, and the time of their end. */
export type WindowHoldText = Readonly<{
  windows: readonly string[];
  isFreeze: boolean;
  /** The time of the next possible start; null if no time is known. */
  untilAt: string | null;
  /** `opens Sat 22:00 Europe/Berlin`, or `no end is set`. */
  until: string;
  /** A sentence about the first of the windows. */
  sentence: string;
  /** Groups that may lift every window in the way. */
  breakGlassGroups: readonly string[];
}>;

/** The windows that concern a cluster, for a subject or for all. */
export const windowsOf = (fleet: LiveFleet, cluster: string, subject?: FleetSubject): readonly WindowRules[] => {
  const member = fleet.clusters.get(cluster);
  if (member === undefined) return [];
  return fleet.files.windows.filter(
    (window) => window.selects(member) && (subject === undefined || window.concerns(subject)),
  );
};

/** Returns the windows that hold a cluster now. Returns undefined if no window does. */
export function holdOf(fleet: LiveFleet, subject: FleetSubject, cluster: string): WindowHoldText | undefined {
  const { now } = fleet;
  const { hold, by, until } = windowAnswer(windowsOf(fleet, cluster, subject), now);
  const [first] = by;
  if (hold === undefined || first === undefined) return undefined;
  const { zone } = first;
  const when = until === undefined ? 'no end is set' : `opens ${zonedTime(until, zone, now)}`;
  return {
    windows: by.map(({ name }) => name),
    isFreeze: hold === 'Frozen',
    untilAt: until === undefined ? null : new Date(until).toISOString(),
    until: when,
    sentence: sentenceOf(first, until, zone, now, hold === 'Frozen'),
    breakGlassGroups: sharedGroups(by),
  };
}

function sentenceOf(
  window: WindowRules,
  until: number | undefined,
  zone: string,
  now: number,
  isFreeze: boolean,
): string {
  const name = `"${window.name}"`;
  if (window.problem !== undefined) return `${window.type} ${name} cannot be read: ${window.problem}.`;
  if (isFreeze) return `Deny ${name} freezes all changes until it is deleted.`;
  const span = window.spanAt(until ?? now);
  if (window.type === 'Deny') {
    return until === undefined
      ? `Deny ${name} is active, without a known end.`
      : `Deny ${name} is active; a change may start ${zonedTime(until, zone, now)}.`;
  }
  if (until === undefined || span === undefined) return `Allow ${name} is not active, and its next time is unknown.`;
  const length = span.end - span.start;
  return `Allow ${name} opens ${zonedTime(until, zone, now)} and lasts ${shortDuration(length)}.`;
}

/** Returns the groups that each of the windows names: a user who lifts only one of them lifts nothing. */
const sharedGroups = (windows: readonly WindowRules[]): readonly string[] => {
  const [first, ...others] = windows;
  const groups = first?.breakGlassGroups ?? [];
  return groups.filter((group) => others.every(({ breakGlassGroups }) => breakGlassGroups.includes(group)));
};
