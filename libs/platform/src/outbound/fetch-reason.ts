/**
 * Returns the reason why fetch failed: fetch hides it in causes. Fetch asks no port that browsers keep for
 * other protocols, such as 1, and says "bad port" of it.
 */
export function fetchReason(error: unknown): string {
  const cause = fetchCause(error);
  const reason = cause instanceof Error ? cause.message : String(cause);
  return reason === 'bad port' ? 'this port is reserved for another protocol than HTTP' : reason;
}

/** The error behind "fetch failed". */
export function fetchCause(error: unknown): unknown {
  let cause = error;
  while (cause instanceof Error && cause.cause instanceof Error) cause = cause.cause;
  return cause;
}
