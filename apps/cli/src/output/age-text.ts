const UNITS: readonly (readonly [seconds: number, unit: string])[] = [
  [86_400, 'd'],
  [3_600, 'h'],
  [60, 'm'],
  [1, 's'],
];

/** The age of an object in its largest unit, as kubectl prints it. */
export function ageText(since: string | null | undefined, now: Date): string {
  const seconds = (now.getTime() - Date.parse(since ?? '')) / 1_000;
  if (Number.isNaN(seconds)) return '<unknown>';
  const [size, unit] = UNITS.find(([length]) => seconds >= length) ?? [1, 's'];
  return `${Math.max(0, Math.floor(seconds / size))}${unit}`;
}
