/**
 * Wall-clock time of a time zone and instants. Local times are written as if they were UTC, in milliseconds.
 */

const MINUTE = 60_000;
const DAY = 86_400_000;

/** The zone's wall clock at an instant, as if it were UTC; a zone that does not exist throws. */
export function localTimes(timeZone: string): (instant: number) => number {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    calendar: 'iso8601',
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  });
  return (instant) => {
    const part = new Map(format.formatToParts(instant).map(({ type, value }) => [type, Number(value)]));
    const of = (type: Intl.DateTimeFormatPartTypes): number => part.get(type) ?? 0;
    return Date.UTC(of('year'), of('month') - 1, of('day'), of('hour'), of('minute'), of('second'));
  };
}

/** True if the runtime knows a time zone. */
export function isTimeZone(timeZone: string): boolean {
  try {
    localTimes(timeZone);
    return true;
  } catch {
    return false;
  }
}

/**
 * The instant of a local minute: of one that exists twice the first, of one that does not exist that of the
 * next minute that does.
 */
export function instantOf(local: number, toLocal: (instant: number) => number): number {
  // Offsets change at most once within two days, so that those of the day before and after are all there are.
  const offsets = [local - DAY, local + DAY].map((near) => toLocal(near) - near);
  const candidates = offsets.map((offset) => local - offset).filter((instant) => toLocal(instant) === local);
  if (candidates.length > 0) return Math.min(...candidates);
  return firstAfterGap(local, toLocal, offsets);
}

function firstAfterGap(local: number, toLocal: (instant: number) => number, offsets: readonly number[]): number {
  let [before, after] = [local - Math.max(...offsets) - MINUTE, local - Math.min(...offsets) + MINUTE];
  while (after - before > MINUTE) {
    const middle = before + Math.floor((after - before) / 2 / MINUTE) * MINUTE;
    if (toLocal(middle) < local) before = middle;
    else after = middle;
  }
  return after;
}
