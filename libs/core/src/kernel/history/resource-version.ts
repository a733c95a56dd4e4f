const DECIMAL = /^\d+$/;

/**
 * True if resourceVersion `a` is `b` or a newer one. Both must come from one cluster. Its versions are
 * numbers that grow with every write (Kubernetes, "Resource versions"). Versions that are no numbers are
 * never as new as others.
 */
export function isAsNewAs(a: string | undefined, b: string | undefined): boolean {
  if (a === undefined || b === undefined || !DECIMAL.test(a) || !DECIMAL.test(b)) return false;
  return a.length === b.length ? a >= b : a.length > b.length;
}

/** True if both are numbers, and `a` is the lower one. */
export const isOlderThan = (a: string | undefined, b: string | undefined): boolean =>
  isAsNewAs(b, a) && !isAsNewAs(a, b);

/** Returns the older one; the second if they cannot be compared. */
export const olderOf = (a: string, b: string): string => (isOlderThan(a, b) ? a : b);
