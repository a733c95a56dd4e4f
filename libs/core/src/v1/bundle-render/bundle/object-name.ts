/** The longest name that OLM v1 generates, in bytes. */
const MAX_NAME_LENGTH = 63;

/**
 * Returns `base-suffix`. The base is cut if the whole would be longer than 63 bytes (spec: v1-apply.md §4,
 * name rule).
 */
export function objectName(base: string, suffix: string): string {
  const bytes = Buffer.from(base, 'utf8');
  const fits = bytes.length + Buffer.byteLength(suffix) <= MAX_NAME_LENGTH;
  const cut = fits ? base : bytes.subarray(0, MAX_NAME_LENGTH - Buffer.byteLength(suffix) - 1).toString('utf8');
  return `${cut}-${suffix}`;
}
