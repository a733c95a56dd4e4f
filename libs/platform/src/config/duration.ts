const UNIT_MS: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
};
const WHOLE = /^(?:\d+(?:\.\d+)?(?:ns|us|µs|ms|s|m|h))+$/;
const PART = /(\d+(?:\.\d+)?)(ns|us|µs|ms|s|m|h)/g;

/** Go's text of a duration, such as `15m`, `1h30m` or `250ms`, in milliseconds; undefined where it is none, or negative. */
export function parseDuration(text: string): number | undefined {
  if (text === '0') return 0;
  if (!WHOLE.test(text)) return undefined;
  let total = 0;
  for (const [, amount, unit] of text.matchAll(PART)) total += Number(amount) * (UNIT_MS[unit ?? ''] ?? Number.NaN);
  const ms = Math.round(total);
  return Number.isSafeInteger(ms) ? ms : undefined;
}
