/** Parts of a window of time. */
export type TrendWindow = Readonly<{
  begin: number;
  partMs: number;
  parts: number;
  /** Ends of the known parts, the oldest first. The last part ends now. */
  ends: readonly number[];
}>;

type Span = Readonly<{ partMs: number; parts: number }>;

const HOUR = 3_600_000;
export const SPAN_OF = {
  '1d': { partMs: HOUR, parts: 24 },
  '7d': { partMs: 6 * HOUR, parts: 28 },
  '30d': { partMs: 24 * HOUR, parts: 30 },
} as const satisfies Record<string, Span>;

/**
 * Returns the parts of a window that ends now. They begin at whole hours or days, so that they stay the same
 * while a page is open. If nothing is known of the past, only the last part is left.
 */
export function trendWindow(now: Date, { partMs, parts }: Span, knownSince: string): TrendWindow {
  const end = now.getTime();
  const since = Date.parse(knownSince);
  const last = Math.floor(end / partMs) * partMs;
  const begin = last - (parts - 1) * partMs;
  const all = Array.from({ length: parts }, (_, at) => (at === parts - 1 ? end : begin + (at + 1) * partMs));
  const ends = all.filter((one, at) => at === parts - 1 || one > since);
  return { begin, partMs, parts, ends };
}

/** Returns the window in the form of an answer. */
export const windowAnswer = ({ begin, partMs, parts }: TrendWindow, knownSince: string, now: Date) => ({
  ...{ asOf: now.toISOString(), knownSince, begin: new Date(begin).toISOString(), parts },
  partSeconds: partMs / 1_000,
});
