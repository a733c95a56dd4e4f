/** What keeps a connection to Redis from working, and when the log last had it. */
export type RedisTrouble = Readonly<{ reason: string; loggedAtMs: number }>;

const LOG_AGAIN_AFTER_MS = 60_000;
const LONGEST_REASON = 240;

/**
 * The trouble after a failed try: `log` where it begins, and where the log has not had it for a minute. A
 * Redis that stays away thus has one line a minute, however many tries and reasons there are.
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

/** The client's summary of what it has said of each Sentinel; it has no code. */
export const ALL_SENTINELS = /^All sentinels are unreachable/;

/**
 * True for what a lost connection makes of commands and of further tries to connect: the connection itself
 * logs why.
 */
export function isLostConnection(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if ('code' in error && String(error.code).startsWith('E')) return true;
  return ALL_SENTINELS.test(error.message) || /^Connection is closed/.test(error.message);
}
