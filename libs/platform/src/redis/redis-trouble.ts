/** What keeps a connection to Redis from working, and when the log last had it. */
export type RedisTrouble = Readonly<{ reason: string; loggedAtMs: number }>;

const LOG_AGAIN_AFTER_MS = 30_000;
const LONGEST_REASON = 240;

/**
 * The trouble after a failed try: `log` where the reason is new or the log has not had it for 30 s. A Redis
 * that stays away thus has a line now and then, not one for each try.
 */
export function noteTrouble(
  known: RedisTrouble | undefined,
  text: string,
  nowMs: number,
): Readonly<{ trouble: RedisTrouble; log: boolean }> {
  const reason = firstLine(text);
  const log = known === undefined || known.reason !== reason || nowMs - known.loggedAtMs >= LOG_AGAIN_AFTER_MS;
  return { trouble: { reason, loggedAtMs: log ? nowMs : known.loggedAtMs }, log };
}

function firstLine(text: string): string {
  const line = text.trim().split(/[\r\n]/)[0] ?? '';
  return line.length > LONGEST_REASON ? `${line.slice(0, LONGEST_REASON)}…` : line;
}
