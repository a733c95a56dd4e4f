import { goQuote, isPrintable } from '../versions/go-quote.js';

/** Writes the text in double quotes, or in back quotes if that spares escapes (go-cmp v0.7, formatString). */
export function formatString(text: string): string {
  const quoted = goQuote(text);
  if (quoted.length === text.length + 2) return quoted;
  return [...text].every((char) => char !== '`' && (char === '\t' || isPrintable(char))) ? `\`${text}\`` : quoted;
}
