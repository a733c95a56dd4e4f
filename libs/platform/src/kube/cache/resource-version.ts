/** Up to which resourceVersion something was seen, by kind. */
export type SeenVersions = Readonly<Record<string, string>>;

const DECIMAL = /^\d+$/;

/**
 * Whether what has resourceVersion `a` is as new as, or newer than, what has `b`. Both must come from one
 * cluster, whose versions are numbers that grow with every write (Kubernetes, "Resource versions"). Versions
 * that are no numbers say nothing: false.
 */
export function isAsNewAs(a: string | undefined, b: string | undefined): boolean {
  if (a === undefined || b === undefined || !DECIMAL.test(a) || !DECIMAL.test(b)) return false;
  return a.length === b.length ? a >= b : a.length > b.length;
}
