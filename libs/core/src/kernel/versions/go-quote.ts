const SHORT_ESCAPES: Readonly<Record<string, string>> = {
  '\x07': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
  '\\': '\\\\',
  '"': '\\"',
};
const PRINTABLE = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u;

/** True if Go's quoting leaves a character as it is. */
export const isPrintable = (char: string): boolean => PRINTABLE.test(char);

/**
 * Returns the text in double quotes as Go's `%q` writes it: OLM's messages quote so, and users compare them.
 */
export function goQuote(text: string): string {
  let quoted = '';
  for (const char of text) quoted += SHORT_ESCAPES[char] ?? (isPrintable(char) ? char : escaped(char));
  return `"${quoted}"`;
}

function escaped(char: string): string {
  const code = char.codePointAt(0) ?? 0;
  if (code < 0x80) return `\\x${code.toString(16).padStart(2, '0')}`;
  return code < 0x10000 ? `\\u${code.toString(16).padStart(4, '0')}` : `\\U${code.toString(16).padStart(8, '0')}`;
}
