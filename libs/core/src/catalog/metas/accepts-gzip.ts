/** Bodies from this many bytes on are worth compressing (spec: v1-catalog.md §2). */
export const GZIP_FROM_BYTES = 1_024;

/**
 * True if the client accepts gzip: named in Accept-Encoding, and not with `q=0`. A `*` does not count, as in
 * catalogd.
 */
export function acceptsGzip(acceptEncoding: string | undefined): boolean {
  for (const coding of (acceptEncoding ?? '').split(',')) {
    const [name = '', ...parameters] = coding.split(';').map((part) => part.trim());
    if (name.toLowerCase() !== 'gzip') continue;
    const weight = parameters.findLast((parameter) => parameter.startsWith('q='))?.slice(2);
    return weight === undefined || Number(weight) > 0;
  }
  return false;
}
