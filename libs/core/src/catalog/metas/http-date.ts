const DAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];
const LONG_DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const NAMED = `(${[...LONG_DAYS, ...DAYS].join('|')})`;
const MONTH = `(?<month>${MONTHS.join('|')})`;
const TIME = '(?<hour>\\d\\d):(?<minute>\\d\\d):(?<second>\\d\\d)';

/** The three forms of a date that HTTP knows (RFC 9110 §5.6.7). */
const FORMS = [
  new RegExp(`^${NAMED}, (?<day>\\d\\d) ${MONTH} (?<year>\\d{4}) ${TIME} GMT$`),
  new RegExp(`^${NAMED}, (?<day>\\d\\d)-${MONTH}-(?<year>\\d\\d) ${TIME} [A-Z]{3}$`),
  new RegExp(`^${NAMED} ${MONTH} (?<day>[ \\d]?\\d) ${TIME} (?<year>\\d{4})$`),
];

/** Returns the seconds since 1970 of a date in a header. Returns undefined if it is no date. */
export function parseHttpDate(text: string): number | undefined {
  for (const form of FORMS) {
    const groups = form.exec(text)?.groups;
    if (groups !== undefined) return secondsOf(groups);
  }
  return undefined;
}

function secondsOf(groups: Readonly<Record<string, string>>): number | undefined {
  const { day = '', month = '', year = '', hour = '', minute = '', second = '' } = groups;
  const [dayOfMonth, monthIndex] = [Number(day), MONTHS.indexOf(month)];
  const date = Date.UTC(fullYear(year), monthIndex, dayOfMonth, Number(hour), Number(minute), Number(second));
  const inRange = Number(hour) < 24 && Number(minute) < 60 && Number(second) < 60;
  return inRange && new Date(date).getUTCDate() === dayOfMonth ? date / 1_000 : undefined;
}

/** Returns the year of two digits: 69 to 99 are of the last century, as Go reads them. */
function fullYear(text: string): number {
  const year = Number(text);
  if (text.length === 4) return year;
  return year >= 69 ? 1900 + year : 2000 + year;
}

/** Formats a date as `Sun, 06 Nov 1994 08:49:37 GMT`. */
export const httpDate = (date: Date): string => date.toUTCString();
