/** C0 but line feed and tab, DEL, C1, and the characters that override or embed the direction of text. */
const CONTROL = /[^\P{Cc}\n\t]|[\u202a-\u202e\u2066-\u2069]/gu;

/**
 * Returns text with its control characters shown as escapes, so that none acts on the terminal that prints
 * it. Valid JSON stays the same JSON: a character that needs no escape in its strings (DEL and beyond)
 * becomes an escape of JSON with the same value.
 */
export const visibleText = (text: string): string => text.replace(CONTROL, escaped);

function escaped(character: string): string {
  const code = character.charCodeAt(0);
  return code < 0x20 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u${code.toString(16).padStart(4, '0')}`;
}
