/** Most lines of one kind in a FleetPlan; the rest is counted. */
const MOST_LINES = 200;
const MOST_TEXT = 1_024;

/** Returns as many lines as fit. */
export function kept(lines: readonly string[]): string[] {
  const short = lines.map((line) => (line.length > MOST_TEXT ? `${line.slice(0, MOST_TEXT - 1)}…` : line));
  return short.length <= MOST_LINES ? short : [...short.slice(0, MOST_LINES), `and ${short.length - MOST_LINES} more`];
}
