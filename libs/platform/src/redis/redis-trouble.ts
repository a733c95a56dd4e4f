/**
 * The reason a connection to Redis does not work. `loggedAtMs`: the time of the last line about this or an
 * earlier trouble. `isLogged`: this trouble has a line.
 */
export type RedisTrouble = Readonly<{ reason: string; loggedAtMs: number; isLogged: boolean }>;

const LOG_AGAIN_AFTER_MS = 60_000;
const LONGEST_REASON = 240;

/**
 * Returns the trouble after a failed try. `log` is true if the log has had no such line for a minute. A Redis
 * that stays unreachable, or comes and goes, thus has one line a minute, however many tries and reasons there
 * are. `before`: the trouble that has ended last.
 */
export function noteTrouble(
  known: RedisTrouble | undefined,
  text: string,
  nowMs: number,
  before?: RedisTrouble,
): Readonly<{ trouble: RedisTrouble; log: boolean }> {
  const reason = firstLine(text);
  const loggedAtMs = (known ?? before)?.loggedAtMs ?? Number.NEGATIVE_INFINITY;
  const log = nowMs - loggedAtMs >= LOG_AGAIN_AFTER_MS;
  return { trouble: { reason, loggedAtMs: log ? nowMs : loggedAtMs, isLogged: log || known?.isLogged === true }, log };
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
