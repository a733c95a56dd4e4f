const LONGEST_WAIT_MS = 30_000;

/**
 * Milliseconds that an overloaded server asks us to wait, at most 30 s; undefined where it does not ask. As
 * client-go does: 429 and 5xx are tried again only with a Retry-After header, and then for every method,
 * since the server says that it did nothing.
 */
export function retryDelay(status: number, header: string | string[] | undefined): number | undefined {
  if (status !== 429 && status < 500) return undefined;
  const seconds = Number(Array.isArray(header) ? header[0] : header);
  if (header === undefined || !Number.isFinite(seconds) || seconds < 0) return undefined;
  return Math.min(seconds * 1000, LONGEST_WAIT_MS);
}
