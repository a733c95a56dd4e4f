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

const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });
const clockWithSeconds = new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium' });
const day = new Intl.DateTimeFormat('en-GB', { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' });
const full = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium' });

const written = (format: Intl.DateTimeFormat, time: string): string => {
  const at = Date.parse(time);
  return Number.isNaN(at) ? '–' : format.format(at);
};

export const timeOfDay = (time: string): string => written(clock, time);
export const timeWithSeconds = (time: string): string => written(clockWithSeconds, time);
export const dayOf = (time: string): string => written(day, time);
export const fullTime = (time: string): string => written(full, time);

const whole = new Intl.NumberFormat('en-GB');
/** With separators between thousands. */
export const count = (value: number): string => whole.format(value);
/** `1 cluster`, `1,000 clusters`. */
export const counted = (value: number, one: string, many = `${one}s`): string =>
  `${count(value)} ${value === 1 ? one : many}`;

/** A phase, as `WaitingForApproval`, in words. */
export const inWords = (phase: string): string =>
  phase.replaceAll(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
