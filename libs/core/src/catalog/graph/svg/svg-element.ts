type Attributes = Readonly<Record<string, string | number>>;

/**
 * Returns an SVG element with escaped attributes; `content` is markup already. Numbers keep at most one
 * decimal.
 */
export function element(name: string, attributes: Attributes, content = ''): string {
  const written = Object.entries(attributes)
    .map(([key, value]) => ` ${key}="${typeof value === 'number' ? Math.round(value * 10) / 10 : escaped(value)}"`)
    .join('');
  return content === '' ? `<${name}${written}/>` : `<${name}${written}>${content}</${name}>`;
}

/** Returns a line of text; `y` is its base line. */
export const text = (x: number, y: number, content: string, attributes: Attributes = {}): string =>
  element('text', { x, y, ...attributes }, escaped(content));

/** Returns a tooltip for the element around it. */
export const tooltip = (content: string): string => `<title>${escaped(content)}</title>`;

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Characters that turn the direction of text or take no room: with them one name can look like another. */
const HIDDEN = /[\u061C\u200B-\u200F\u202A-\u202E\u2060-\u2069\uFEFF]/g;
const numbered = (char: string): string => `⟨${char.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}⟩`;

/**
 * Names come from catalogs: markup in them is shown, characters that XML does not allow become a replacement
 * mark, and characters that are not seen become their number.
 */
export const escaped = (content: string): string =>
  content
    .toWellFormed()
    .replaceAll(HIDDEN, numbered)
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/\p{Cc}|[\ufffe\uffff]/gu, '\ufffd')
    .replaceAll(/[&<>"]/g, (char) => ENTITIES[char] ?? char);

/**
 * Estimates the width of a text of 12 pixels in a common sans-serif font; on the wide side, so that boxes
 * hold it.
 */
export function textWidth(content: string): number {
  let width = 0;
  for (const char of content)
    width += /[.,:;'|ijlft !()[\]-]/.test(char) ? 4.6 : /[mwMW]/.test(char) ? 11 : /[A-Z]/.test(char) ? 8.8 : 7.4;
  return width;
}

/**
 * Returns the text, cut in the middle if it is longer than `most` characters: both ends of a bundle name
 * matter.
 */
export function shortened(content: string, most: number): string {
  const chars = [...content];
  if (chars.length <= most) return content;
  const tail = Math.floor((most - 1) / 2);
  return [...chars.slice(0, most - 1 - tail), '…', ...chars.slice(-tail)].join('');
}
