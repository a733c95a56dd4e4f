import { UsageError } from '../../terminal/io.js';

const NAME = '[A-Za-z0-9](?:[-\\w.]{0,61}[A-Za-z0-9])?';
const KEY = `(?:[a-z0-9](?:[-a-z0-9.]{0,251}[a-z0-9])?/)?${NAME}`;
const VALUE = `(?:${NAME})?`;
const TERMS: readonly RegExp[] = [
  `!\\s*${KEY}`,
  KEY,
  `${KEY}\\s*(?:=|==|!=)\\s*${VALUE}`,
  `${KEY}\\s+(?:in|notin)\\s*\\(\\s*${VALUE}(?:\\s*,\\s*${VALUE})*\\s*\\)`,
  `${KEY}\\s*[<>]\\s*-?\\d+`,
].map((term) => new RegExp(`^${term}$`));

const WHOLE_KEY = new RegExp(`^${KEY}$`);

/** True if the text can be the key of a label. */
export const isLabelKey = (text: string): boolean => WHOLE_KEY.test(text);

/**
 * Returns a label selector as it was typed.
 * @throws UsageError if an API server could not read it
 */
export function labelSelector(text: string): string {
  const wrong = termsOf(text).find((term) => !TERMS.some((form) => form.test(term)));
  if (wrong === undefined) return text;
  const forms = 'a=b, a!=b, a, !a, "a in (b, c)" or "a notin (b, c)", with commas between';
  throw new UsageError(`invalid --selector "${text}": cannot read "${wrong}"; write terms such as ${forms}`);
}

/** The terms between the commas that are not in parentheses. */
function termsOf(text: string): readonly string[] {
  if (text.trim() === '') return [];
  const terms = [''];
  let isInside = false;
  for (const char of text) {
    if (char === '(') isInside = true;
    if (char === ')') isInside = false;
    if (char === ',' && !isInside) terms.push('');
    else terms.push(`${terms.pop()}${char}`);
  }
  return terms.map((term) => term.trim());
}
