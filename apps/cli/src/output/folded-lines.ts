import { displayWidth } from '../terminal/display-width.js';

/** What comes behind the first line of a folded one stands this far to the right of its beginning. */
const HANGS = 2;

/**
 * Lines for a terminal of so many columns: a longer one goes on in the next line, never within a word, so
 * that names can be copied. `at`: the column at which it goes on; absent: a little behind its own beginning.
 * Without a width, as in a file, lines stay as they are.
 */
export function folded(text: string, width: number | undefined, at?: number): string {
  if (width === undefined) return text;
  return text
    .split('\n')
    .map((line) => foldedLine(line, width, at ?? line.search(/\S|$/) + HANGS))
    .join('\n');
}

function foldedLine(line: string, width: number, at: number): string {
  if (displayWidth(line) <= width) return line;
  const lines: string[] = [];
  let current = '';
  for (const word of line.match(/\s*\S+/g) ?? []) {
    // Nothing is won by a line for what fits none, or where there is nothing but a label before it.
    const wins = displayWidth(current) > at && at + displayWidth(word.trimStart()) <= width;
    const isFull = wins && displayWidth(current + word) > width;
    if (isFull) lines.push(current);
    current = isFull ? ' '.repeat(at) + word.trimStart() : current + word;
  }
  return [...lines, current].join('\n');
}

/** `  → COMMAND   (note)`: in a narrow terminal the note is a line of its own. The command stays whole. */
export function adviceLine(command: string, note: string, width: number | undefined): string {
  const line = `  → ${command}`;
  if (note === '') return `${line}\n`;
  const whole = `${line}   (${note})`;
  const fits = width === undefined || displayWidth(whole) <= width;
  return fits ? `${whole}\n` : `${line}\n${folded(`    (${note})`, width, 5)}\n`;
}
