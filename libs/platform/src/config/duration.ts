import { parseGoDuration } from '#core/kernel/durations/go-duration';

/**
 * Parses Go's text of a duration, such as `15m`, `1h30m` or `250ms`, into milliseconds. Returns undefined if
 * it is no duration, or negative.
 */
export function parseDuration(text: string): number | undefined {
  const parsed = parseGoDuration(text);
  if ('error' in parsed || parsed.ms < 0) return undefined;
  const ms = Math.round(parsed.ms);
  return Number.isSafeInteger(ms) ? ms : undefined;
}
