import { folded } from './scan-plain.js';
import { APOSTROPHE, BACKSLASH, isBlank, isBlankOrEnd, isBreak, isEnd, QUOTE } from './yaml-characters.js';
import type { YamlCursor } from './yaml-cursor.js';
import { YAML_ESCAPE_DIGITS, YAML_ESCAPES } from './yaml-escapes.js';

/** Reads a scalar in quotes, from the opening quote at the current character. */
export function scanQuoted(cursor: YamlCursor): string {
  const quote = cursor.code();
  cursor.at += 1;
  let value = '';
  for (;;) {
    if (cursor.atDocumentMark()) cursor.fail('found unexpected document indicator');
    if (isEnd(cursor.code())) cursor.fail('found unexpected end of stream');
    const { text, escapesBreak } =
      quote === QUOTE ? scanDouble(cursor) : { text: scanSingle(cursor), escapesBreak: false };
    value += text;
    if (cursor.code() === quote) break;
    value += scanGap(cursor, escapesBreak);
  }
  cursor.at += 1;
  return value;
}

/** Reads characters up to a blank, a line end or the closing quote. */
function scanSingle(cursor: YamlCursor): string {
  const { text } = cursor;
  let value = '';
  let from = cursor.at;
  for (;;) {
    const code = cursor.code();
    if (isBlankOrEnd(code)) break;
    if (code === APOSTROPHE) {
      if (cursor.code(1) !== APOSTROPHE) break;
      value += text.slice(from, cursor.at + 1);
      from = cursor.at + 2;
      cursor.at += 1;
    }
    cursor.at += 1;
  }
  return value + text.slice(from, cursor.at);
}

/** The same with escapes. `escapesBreak`: the last line end that was skipped is escaped. */
function scanDouble(cursor: YamlCursor): Readonly<{ text: string; escapesBreak: boolean }> {
  const { text } = cursor;
  let value = '';
  let from = cursor.at;
  for (;;) {
    const code = cursor.code();
    if (isBlankOrEnd(code) || code === QUOTE) return { text: value + text.slice(from, cursor.at), escapesBreak: false };
    if (code !== BACKSLASH) {
      cursor.at += 1;
      continue;
    }
    value += text.slice(from, cursor.at);
    cursor.at += 1;
    if (isBreak(cursor.code())) {
      cursor.readBreak();
      return { text: value, escapesBreak: true };
    }
    value += scanEscape(cursor);
    from = cursor.at;
  }
}

/** Skips white space between parts of a scalar in quotes, and returns the text that replaces it. */
function scanGap(cursor: YamlCursor, afterEscapedBreak: boolean): string {
  let blanks = '';
  let first = '';
  let more = '';
  let endsLine = afterEscapedBreak;
  for (;;) {
    const code = cursor.code();
    if (isBreak(code)) {
      if (endsLine) more += cursor.readBreak();
      else first = cursor.readBreak();
      endsLine = true;
    } else if (isBlank(code)) {
      if (!endsLine) blanks += String.fromCharCode(code);
      cursor.at += 1;
    } else return endsLine ? folded(first, more) : blanks;
  }
}

const HEXADECIMAL = /^[0-9a-fA-F]+$/;
const MAX_CODE_POINT = 0x10ffff;

/** Reads the escape after a backslash. */
function scanEscape(cursor: YamlCursor): string {
  const letter = cursor.text.charAt(cursor.at);
  const meaning = YAML_ESCAPES.get(letter);
  cursor.at += 1;
  if (meaning !== undefined) return meaning;
  const length = YAML_ESCAPE_DIGITS.get(letter) ?? cursor.fail('found unknown escape character');
  const digits = cursor.text.slice(cursor.at, cursor.at + length);
  if (!HEXADECIMAL.test(digits)) cursor.fail('did not find expected hexdecimal number');
  cursor.at += length;
  return characterOf(digits) ?? cursor.fail('found invalid Unicode character escape code');
}

/**
 * Returns the character with a code in hexadecimal digits. Returns undefined for halves of a surrogate pair.
 */
function characterOf(digits: string): string | undefined {
  const code = Number.parseInt(digits, 16);
  if (code > MAX_CODE_POINT || (code >= 0xd800 && code <= 0xdfff)) return undefined;
  return String.fromCodePoint(code);
}
