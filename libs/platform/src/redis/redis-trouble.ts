/** The reason a connection to Redis does not work, and the time of its last log line. */
export type RedisTrouble = Readonly<{ reason: string; loggedAtMs: number }>;

const LOG_AGAIN_AFTER_MS = 60_000;
const LONGEST_REASON = 240;

/**
 * Returns the trouble after a failed try. `log` is true when the trouble begins, and if the log has not had
 * it for a minute. A Redis that stays unreachable thus has one line a minute, however many tries and reasons
 * there are.
 */
export function noteTrouble(
  known: RedisTrouble | undefined,
  text: string,
  nowMs: number,
): Readonly<{ trouble: RedisTrouble; log: boolean }> {
  const reason = firstLine(text);
  const log = known === undefined || nowMs - known.loggedAtMs >= LOG_AGAIN_AFTER_MS;
  return { trouble: { reason, loggedAtMs: log ? nowMs : known.loggedAtMs }, log };
}

function firstLine(text: string): string {
  const line = text.trim().split(/[\r\n]/)[0] ?? '';
  return line.length > LONGEST_REASON ? `${line.slice(0, LONGEST_REASON)}…` : line;
}

/** The client's summary of its errors of each Sentinel; it has no code. */
export const ALL_SENTINELS = /^All sentinels are unreachable/;

/**
 * True if the error is the effect of a lost connection on commands and on further tries to connect. The
 * connection itself logs the reason.
 */
export function isLostConnection(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if ('code' in error && String(error.code).startsWith('E')) return true;
  return ALL_SENTINELS.test(error.message) || /^Connection is closed/.test(error.message);
}
