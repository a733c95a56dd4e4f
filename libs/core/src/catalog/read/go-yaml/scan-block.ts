import { BLANK, DASH, isBlank, isBreak, isBreakOrEnd, isDigit, isEnd, PLUS, TAB, ZERO } from './yaml-characters.js';
import type { YamlCursor } from './yaml-cursor.js';

/** The treatment of the line ends at the end of a block scalar. */
type Chomping = 'clip' | 'keep' | 'strip';

/**
 * Reads a literal or folded scalar from its `|` or `>`, the current character. `indent` is the column of the
 * collection that contains it, -1 for none.
 */
export function scanBlock(cursor: YamlCursor, indent: number, isLiteral: boolean): string {
  cursor.at += 1;
  const { chomping, increment } = scanHeader(cursor);
  cursor.skipRestOfLine();
  const given = increment === 0 ? 0 : Math.max(indent, 0) + increment;
  const first = scanBreaks(cursor, given);
  const margin = given === 0 ? Math.max(first.deepest, indent + 1, 1) : given;
  return scanLines(cursor, { margin, isLiteral, chomping, breaks: first.breaks });
}

function scanHeader(cursor: YamlCursor): Readonly<{ chomping: Chomping; increment: number }> {
  const before = scanChomping(cursor);
  let increment = 0;
  if (isDigit(cursor.code())) {
    increment = cursor.code() - ZERO;
    if (increment === 0) cursor.fail('found an indentation indicator equal to 0');
    cursor.at += 1;
  }
  const after = before === undefined && increment !== 0 ? scanChomping(cursor) : undefined;
  return { chomping: before ?? after ?? 'clip', increment };
}

function scanChomping(cursor: YamlCursor): Chomping | undefined {
  const code = cursor.code();
  if (code !== PLUS && code !== DASH) return undefined;
  cursor.at += 1;
  return code === PLUS ? 'keep' : 'strip';
}

type Lines = Readonly<{ margin: number; isLiteral: boolean; chomping: Chomping; breaks: string }>;

function scanLines(cursor: YamlCursor, { margin, isLiteral, chomping, breaks }: Lines): string {
  const { text } = cursor;
  let value = '';
  let lineEnd = '';
  let emptyLines = breaks;
  let wasIndented = false;
  while (cursor.column === margin && !isEnd(cursor.code())) {
    const isIndented = isBlank(cursor.code());
    if (!isLiteral && !wasIndented && !isIndented && lineEnd === '\n') value += emptyLines === '' ? ' ' : emptyLines;
    else value += lineEnd + emptyLines;
    wasIndented = isIndented;
    const start = cursor.at;
    let at = start;
    while (!isBreakOrEnd(text.charCodeAt(at))) at += 1;
    cursor.at = at;
    value += text.slice(start, at);
    lineEnd = cursor.readBreak();
    emptyLines = scanBreaks(cursor, margin).breaks;
  }
  if (chomping === 'strip') return value;
  return value + lineEnd + (chomping === 'keep' ? emptyLines : '');
}

/**
 * Skips empty lines, and the margin of the next line; of any width if `margin` is 0. `deepest` is the largest
 * column reached.
 */
function scanBreaks(cursor: YamlCursor, margin: number): Readonly<{ breaks: string; deepest: number }> {
  let breaks = '';
  let deepest = 0;
  for (;;) {
    while ((margin === 0 || cursor.column < margin) && cursor.code() === BLANK) cursor.at += 1;
    deepest = Math.max(deepest, cursor.column);
    if ((margin === 0 || cursor.column < margin) && cursor.code() === TAB) {
      cursor.fail('found a tab character where an indentation space is expected');
    }
    if (!isBreak(cursor.code())) return { breaks, deepest };
    breaks += cursor.readBreak();
  }
}
