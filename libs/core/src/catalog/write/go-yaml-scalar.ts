import { plainScalar } from '../read/go-yaml/yaml-scalar.js';
import { isTimestamp } from '../read/go-yaml/yaml-timestamp.js';

/** The place of a scalar: the margin of its further lines, and the column of its first character. */
export type ScalarPlace = Readonly<{ margin: string; column: number }>;

/** A line that is longer breaks at its next blank. */
const BEST_WIDTH = 80;
/** Keys never break. */
const NO_BREAKS: ScalarPlace = { margin: '', column: Number.NEGATIVE_INFINITY };

/** Characters that yaml.v2 takes as unprintable: tabs, controls, and all beyond the basic plane. */
const UNPRINTABLE = /[^\n\x20-\x7e\u00a0-\ud7ff\ue000-\ufefe\uff00-\ufffd]/;
const BREAK = /[\n\u2028\u2029]/;

type Allowed = Readonly<{ plain: boolean; single: boolean; literal: boolean }>;

/** Returns a text value in block context, in the style that yaml.v2 would choose. */
export function textScalar(text: string, place: ScalarPlace): string {
  if (text === '') return '""';
  const allowed = analyze(text);
  if (text.includes('\n')) return allowed.literal ? literal(text, place.margin) : doubleQuoted(text, place);
  if (!readsAsText(text)) return doubleQuoted(text, place);
  if (allowed.plain) return folded([...text], place);
  if (!allowed.single) return doubleQuoted(text, place);
  const characters = [...text].map((character) => (character === "'" ? "''" : character));
  return `'${folded(characters, { ...place, column: place.column + 1 })}'`;
}

/**
 * Writes a key: never a block text, and never broken. The key of merges is quoted, because bare it would be
 * read as one.
 */
export function keyText(text: string): string {
  if (text === '<<') return '"<<"';
  return text.includes('\n') ? doubleQuoted(text, NO_BREAKS) : textScalar(text, NO_BREAKS);
}

/** Returns the emitter's analysis of a text that is not empty, for block context. */
function analyze(text: string): Allowed {
  if (UNPRINTABLE.test(text) || / [\n\u2028\u2029]/.test(text)) return { plain: false, single: false, literal: false };
  return {
    plain: !BREAK.test(text) && !text.startsWith(' ') && !text.endsWith(' ') && !hasIndicator(text),
    single: !BREAK.test(text),
    literal: !text.endsWith(' '),
  };
}

/** Characters that would end or change a plain text in block context. */
const hasIndicator = (text: string): boolean =>
  /^(---|\.\.\.)/.test(text) ||
  /^[#,[\]{}&*!|>'"%@`]/.test(text) ||
  /^[?:-]( |$)/.test(text) ||
  /:( |$)/.test(text) ||
  / #/.test(text);

const BASE_60 = /^[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?$/;

/**
 * True if a reader would take the bare text as text, and not as a number, boolean, null, date or merge key.
 */
function readsAsText(text: string): boolean {
  return !BASE_60.test(text) && !isTimestamp(text) && typeof plainScalar(text) === 'string';
}

/** Breaks at single blanks once the line is longer than the best width; `units` are characters as written. */
function folded(units: readonly string[], { margin, column: start }: ScalarPlace): string {
  let text = '';
  let column = start;
  for (const [index, unit] of units.entries()) {
    const single = unit === ' ' && units[index - 1] !== ' ' && units[index + 1] !== ' ';
    if (single && column > BEST_WIDTH && index > 0 && index < units.length - 1) {
      text += `\n${margin}`;
      column = margin.length;
    } else {
      text += unit;
      column += unit.length === 2 && unit !== "''" ? 1 : unit.length;
    }
  }
  return text;
}

function literal(text: string, margin: string): string {
  const hint = /^[ \n]/.test(text) ? '2' : '';
  const chomping = !text.endsWith('\n') ? '-' : text === '\n' || text.endsWith('\n\n') ? '+' : '';
  const body = text.endsWith('\n') ? text.slice(0, -1) : text;
  const lines = body.split('\n').map((line) => (line === '' ? '' : `${margin}${line}`));
  return `|${hint}${chomping}\n${lines.join('\n')}`;
}

const ESCAPES: Readonly<Record<string, string>> = {
  '\0': '\\0',
  '\x07': '\\a',
  '\b': '\\b',
  '\t': '\\t',
  '\n': '\\n',
  '\v': '\\v',
  '\f': '\\f',
  '\r': '\\r',
  '\x1b': '\\e',
  '"': '\\"',
  '\\': '\\\\',
  '\u0085': '\\N',
  '\u2028': '\\L',
  '\u2029': '\\P',
};

/**
 * Writes text in double quotes. Unlike the other styles it breaks before several blanks too, and then marks
 * those left with a backslash.
 */
function doubleQuoted(text: string, { margin, column: start }: ScalarPlace): string {
  const characters = [...text];
  let quoted = '"';
  let column = start + 1;
  for (const [index, character] of characters.entries()) {
    const breakable = character === ' ' && characters[index - 1] !== ' ' && index > 0 && index < characters.length - 1;
    if (breakable && column > BEST_WIDTH) {
      const mark = characters[index + 1] === ' ' ? '\\' : '';
      quoted += `\n${margin}${mark}`;
      column = margin.length + mark.length;
    } else {
      const written = escaped(character);
      quoted += written;
      column += character === written ? 1 : written.length;
    }
  }
  return `${quoted}"`;
}

const escaped = (character: string): string =>
  ESCAPES[character] ?? (UNPRINTABLE.test(character) ? numericEscape(character) : character);

function numericEscape(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  const hex = code.toString(16).toUpperCase();
  if (code <= 0xff) return `\\x${hex.padStart(2, '0')}`;
  return code <= 0xffff ? `\\u${hex.padStart(4, '0')}` : `\\U${hex.padStart(8, '0')}`;
}
