// Cells of a terminal that a text takes. ECMAScript has no property for East Asian Width: the scripts
// that are wide stand for it.
/** Letters of Europe, punctuation and arrows: each takes one cell, as letters of ASCII do. */
const PLAIN = /^[\x20-\x7e\xa0-\xac\xae-\u02df\u2010-\u2027\u2030-\u205e\u2190-\u21ff]*$/;

/**
 * Returns the patterns for texts other than plain ones. Making them takes as long as all else of a small
 * command.
 */
function measures() {
  made ??= {
    wide: /^(?:\p{RGI_Emoji}|[[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}\u3000-\u303e\uff01-\uff60\uffe0-\uffe6]--[\u303f\uff61-\uffdc]])/v,
    invisible: /^[\p{Mn}\p{Me}\p{Cf}\p{Cc}]+$/v,
    graphemes: new Intl.Segmenter('en', { granularity: 'grapheme' }),
  };
  return made;
}
let made: Readonly<{ wide: RegExp; invisible: RegExp; graphemes: Intl.Segmenter }> | undefined;

/** Cells of a terminal that a text takes: two for ideographs and emoji, none for combining marks. */
export function displayWidth(text: string): number {
  if (PLAIN.test(text)) return text.length;
  let width = 0;
  for (const { segment } of measures().graphemes.segment(text)) width += widthOf(segment);
  return width;
}

function widthOf(grapheme: string): number {
  const { invisible, wide } = measures();
  if (invisible.test(grapheme)) return 0;
  return wide.test(grapheme) ? 2 : 1;
}

/** The text with blanks behind it, up to a width. */
export const padded = (text: string, width: number): string =>
  text + ' '.repeat(Math.max(width - displayWidth(text), 0));

/** The text, or as much of its beginning as fits a width with an ellipsis behind it. */
export function cutTo(text: string, width: number): string {
  if (displayWidth(text) <= width) return text;
  let kept = '';
  let used = 0;
  for (const { segment } of measures().graphemes.segment(text)) {
    used += widthOf(segment);
    if (used > width - 1) break;
    kept += segment;
  }
  return `${kept}…`;
}
