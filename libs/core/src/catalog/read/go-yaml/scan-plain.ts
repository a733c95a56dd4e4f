import {
  CLOSE_LIST,
  CLOSE_OBJECT,
  COLON,
  COMMA,
  HASH,
  isBlank,
  isBlankOrEnd,
  isBreak,
  OPEN_LIST,
  OPEN_OBJECT,
  QUESTION,
  TAB,
} from './yaml-characters.js';
import type { YamlCursor } from './yaml-cursor.js';

/**
 * The place of a plain scalar: the column of its block collection, -1 for none, and if it is in flow style.
 */
type PlainPlace = Readonly<{ indent: number; inFlow: boolean }>;

/** `endsLine`: the scalar ended at the start of a line, so a key may follow. */
type PlainScalar = Readonly<{ value: string; endsLine: boolean }>;

/** Reads a plain scalar and the blanks and line ends behind it. */
export function scanPlain(cursor: YamlCursor, place: PlainPlace): PlainScalar {
  let value = scanWord(cursor, place.inFlow);
  for (;;) {
    const code = cursor.code();
    if (!isBlank(code) && !isBreak(code)) return { value, endsLine: false };
    const { text, endsLine } = scanGap(cursor, place.indent);
    const isLeft = !place.inFlow && cursor.column <= place.indent;
    if (isLeft || cursor.atDocumentMark() || cursor.code() === HASH) return { value, endsLine };
    const word = scanWord(cursor, place.inFlow);
    if (word === '') return { value, endsLine };
    value += text + word;
  }
}

function scanWord(cursor: YamlCursor, inFlow: boolean): string {
  const { text, at: start } = cursor;
  let at = start;
  for (let code = text.charCodeAt(at); !isBlankOrEnd(code); code = text.charCodeAt(at)) {
    if (code === COLON && isBlankOrEnd(text.charCodeAt(at + 1))) break;
    if (inFlow && endsInFlow(code)) break;
    at += 1;
  }
  cursor.at = at;
  return text.slice(start, at);
}

const endsInFlow = (code: number): boolean =>
  code === COMMA ||
  code === QUESTION ||
  code === OPEN_LIST ||
  code === CLOSE_LIST ||
  code === OPEN_OBJECT ||
  code === CLOSE_OBJECT;

/** Skips white space between the words of a scalar, and returns the text that replaces it. */
function scanGap(cursor: YamlCursor, indent: number): Readonly<{ text: string; endsLine: boolean }> {
  const start = cursor.at;
  cursor.skipBlanks();
  if (!isBreak(cursor.code())) return { text: cursor.text.slice(start, cursor.at), endsLine: false };
  const first = cursor.readBreak();
  let more = '';
  for (;;) {
    const code = cursor.code();
    if (isBreak(code)) more += cursor.readBreak();
    else if (!isBlank(code)) return { text: folded(first, more), endsLine: true };
    else {
      if (code === TAB && cursor.column <= indent) cursor.fail('found a tab character that violates indentation');
      cursor.at += 1;
    }
  }
}

/** Returns the text that line ends between two lines of a folded scalar stand for. */
export function folded(first: string, more: string): string {
  if (first !== '\n') return first + more;
  return more === '' ? ' ' : more;
}
