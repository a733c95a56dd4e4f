const CLOCK = String.raw`(\d{1,2}):(\d{1,2}):(\d{1,2})(?:[.,]\d+)?`;
const TIMESTAMP = new RegExp(`^(\\d{4})-(\\d{1,2})-(\\d{1,2})(?:[Tt]${CLOCK}(?:Z|[+-](\\d{2}):(\\d{2}))| ${CLOCK})?$`);

/**
 * True if go-yaml takes the text as a timestamp: a date that exists, alone or with a time. The time has a
 * zone behind `T` and none behind a blank.
 */
export function isTimestamp(text: string): boolean {
  const match = TIMESTAMP.exec(text);
  if (match === null) return false;
  const [year = 0, month = 0, day = 0, ...clock] = match.slice(1).map((part) => Number(part ?? 0));
  const [hour = 0, minute = 0, second = 0, zoneHour = 0, zoneMinute = 0, ...after] = clock;
  const date = new Date(Date.UTC(2000, month - 1, day));
  date.setUTCFullYear(year, month - 1, day);
  const exists = month >= 1 && month <= 12 && day >= 1 && date.getUTCMonth() === month - 1;
  const hours = Math.max(hour, after[0] ?? 0);
  const below60 = [minute, second, after[1] ?? 0, after[2] ?? 0].every((part) => part < 60);
  return exists && hours < 24 && below60 && zoneHour <= 24 && zoneMinute <= 60;
}
