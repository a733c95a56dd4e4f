/** Returns a function that says if a name matches one of the patterns. `*` stands for any characters. */
export function namePatterns(patterns: readonly string[]): (name: string) => boolean {
  if (patterns.includes('*')) return () => true;
  const exact = new Set(patterns.filter((pattern) => !pattern.includes('*')));
  const globs = patterns.filter((pattern) => pattern.includes('*')).map((pattern) => pattern.split('*'));
  return (name) => exact.has(name) || globs.some((parts) => isGlobOf(parts, name));
}

/** Matches a pattern without a regular expression: a pattern costs no more than its length. */
function isGlobOf(parts: readonly string[], text: string): boolean {
  const [first = '', ...rest] = parts;
  const last = rest.pop() ?? '';
  if (text.length < first.length + last.length || !text.startsWith(first) || !text.endsWith(last)) return false;
  const end = text.length - last.length;
  let at = first.length;
  for (const part of rest) {
    const found = text.indexOf(part, at);
    if (found < 0 || found + part.length > end) return false;
    at = found + part.length;
  }
  return at <= end;
}
