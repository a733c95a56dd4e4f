/** The texts of `Warning: 299 agent "text"` headers (RFC 7234 §5.5); HTTP/2 joins several into one line. */
export function warningsOf(header: string | string[] | undefined): string[] {
  const line = Array.isArray(header) ? header.join(', ') : (header ?? '');
  return [...line.matchAll(/299 \S+ "((?:[^"\\]|\\.)*)"/g)].map(([, text]) => (text ?? '').replaceAll(/\\(.)/g, '$1'));
}
