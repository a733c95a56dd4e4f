const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** How long ago, in one unit, as `5 min`. */
export function age(time: string, now: number = Date.now()): string {
  const at = Date.parse(time);
  return Number.isNaN(at) ? '–' : spanOf((now - at) / 1000);
}

/** A number of seconds in one unit, as `5 min`. */
export function spanOf(length: number): string {
  const seconds = Math.max(0, Math.round(length));
  if (seconds < MINUTE) return `${seconds} s`;
  if (seconds < HOUR) return `${Math.floor(seconds / MINUTE)} min`;
  if (seconds < 2 * DAY) return `${Math.floor(seconds / HOUR)} h`;
  return `${Math.floor(seconds / DAY)} d`;
}

/** How long until then, as `21 min left`; nothing for a time that is over or not known. */
export function left(time: string, now: number = Date.now()): string {
  const ahead = Date.parse(time) - now;
  return ahead > 0 ? `${age(new Date(now - ahead).toISOString(), now)} left` : '';
}

const ZONE = { timeZoneName: 'short' } as const;
const CLOCK = { hour: '2-digit', minute: '2-digit' } as const;
const clock = new Intl.DateTimeFormat('en-GB', CLOCK);
const clockInZone = new Intl.DateTimeFormat('en-GB', { ...CLOCK, ...ZONE });
const clockWithSeconds = new Intl.DateTimeFormat('en-GB', { ...CLOCK, second: '2-digit', ...ZONE });
const day = new Intl.DateTimeFormat('en-GB', { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' });
const DATE = { day: 'numeric', month: 'short', year: 'numeric' } as const;
const full = new Intl.DateTimeFormat('en-GB', { ...DATE, ...CLOCK, second: '2-digit', ...ZONE });

const written = (format: Intl.DateTimeFormat, time: string): string => {
  const at = Date.parse(time);
  return Number.isNaN(at) ? '–' : format.format(at);
};

/** The time of a line under a heading that names day and zone. */
export const shortTime = (time: string): string => written(clock, time);
/** A time in the reader's zone, with the zone. */
export const timeOfDay = (time: string): string => written(clockInZone, time);
export const timeWithSeconds = (time: string): string => written(clockWithSeconds, time);
export const dayOf = (time: string): string => written(day, time);
export const fullTime = (time: string): string => written(full, time);
/** The reader's zone at a time, as `CET`. */
export const zoneAt = (time: string): string => {
  const at = Date.parse(time);
  const parts = Number.isNaN(at) ? [] : clockInZone.formatToParts(at);
  return parts.find(({ type }) => type === 'timeZoneName')?.value ?? '';
};
const WITH_TIME = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d/;
/** A time of a catalog or an image, in the reader's zone. Other texts stay as they are. */
export const dateIn = (text: string): string => (WITH_TIME.test(text) ? fullTime(text) : text);

const whole = new Intl.NumberFormat('en-GB');
/** With separators between thousands. */
export const count = (value: number): string => whole.format(value);
/** `1 cluster`, `1,000 clusters`. */
export const counted = (value: number, one: string, many = `${one}s`): string =>
  `${count(value)} ${value === 1 ? one : many}`;

/** A phase, as `WaitingForApproval`, in words. */
export const inWords = (phase: string): string =>
  phase.replaceAll(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
