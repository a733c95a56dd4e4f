/** While a page is taken in, the thread works for no other cluster. */
const LONGEST_PAGE_MS = 20;
const SMALLEST_PAGE = 50;

/**
 * Returns the number of objects to request after a page that took `tookMs` milliseconds to take in.
 * Undefined: all that are left.
 */
export function nextPageSize(size: number | undefined, tookMs: number): number | undefined {
  if (size === undefined || size <= SMALLEST_PAGE || tookMs <= LONGEST_PAGE_MS) return size;
  return Math.max(SMALLEST_PAGE, Math.floor((size * LONGEST_PAGE_MS) / tookMs));
}
