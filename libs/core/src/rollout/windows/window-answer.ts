import { isActive, nextChange, type WindowHold, type WindowRules, windowHold } from './window-rules.js';

/** Changes of windows that are checked until one lets a cluster start. */
const MOST_CHANGES = 1_000;

/** A window at an instant: whether it is active, and its span that holds the instant, or the next one. */
type WindowTimes = Readonly<{ isActive: boolean; start: number | undefined; end: number | undefined }>;

/**
 * Says if a window is active, and returns its current or next span. A time is undefined if the window is
 * always active, or never again.
 */
export function windowTimes(window: WindowRules, now: number): WindowTimes {
  const span = window.spanAt(now);
  const finite = (time: number | undefined): number | undefined =>
    time !== undefined && Number.isFinite(time) ? time : undefined;
  return { isActive: isActive(window, now), start: finite(span?.start), end: finite(span?.end) };
}

/** The answer of windows about starts in one cluster: the hold, the windows behind it, and its end. */
type WindowAnswer = Readonly<{
  hold: WindowHold | undefined;
  /** Windows that hold the cluster: active Denies, otherwise the Allows if none is active. */
  by: readonly WindowRules[];
  /** The time at which a start is possible again. Undefined if nothing holds, or no time is known. */
  until: number | undefined;
}>;

/** Says if the windows that match a cluster let it start. If not, gives the reason and the end. */
export function windowAnswer(matching: readonly WindowRules[], now: number): WindowAnswer {
  const hold = windowHold(matching, now, true);
  if (hold === undefined) return { hold, by: [], until: undefined };
  const denies = matching.filter((window) => window.type === 'Deny' && isActive(window, now));
  const freezes = denies.filter(({ isFreeze }) => isFreeze);
  const allows = matching.filter(({ type }) => type === 'Allow');
  const by = [freezes, denies, allows].find((group) => group.length > 0) ?? [];
  return { hold, by, until: freezes.length > 0 ? undefined : opensAt(matching, now) };
}

function opensAt(matching: readonly WindowRules[], now: number): number | undefined {
  let time: number | undefined = now;
  for (let changes = 0; changes < MOST_CHANGES; changes++) {
    time = nextChange(matching, time);
    if (time === undefined) return undefined;
    if (windowHold(matching, time, true) === undefined) return time;
  }
  return undefined;
}

const A_WEEK = 6 * 86_400_000;

/** Returns a time for users: `Sat 22:00 Europe/Berlin`. A time more than six days ahead has its date. */
export function zonedTime(time: number, zone: string, now: number): string {
  const part = (options: Intl.DateTimeFormatOptions): string =>
    new Intl.DateTimeFormat('en-GB', { timeZone: zone, ...options }).format(time);
  const day = part({ weekday: 'short' });
  const clock = part({ hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
  const isNear = Math.abs(time - now) < A_WEEK;
  return `${day}${isNear ? '' : ` ${dateIn(time, zone)}`} ${clock} ${zone}`;
}

function dateIn(time: number, zone: string): string {
  const format = new Intl.DateTimeFormat('en-CA', {
    timeZone: zone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  });
  return format.format(time);
}
