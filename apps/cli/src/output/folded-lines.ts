import { displayWidth } from '../terminal/display-width.js';

/** Indent of the continuation of a folded line, in columns. */
const HANGS = 2;

/**
 * Folds lines for a terminal of so many columns. A longer line continues in the next one, never within a
 * word, so that names can be copied. `at`: the column of the continuation; absent: a little behind the line's
 * own beginning. Without a width, as in a file, lines stay as they are.
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
    // Do not break before a word longer than the line, or right after the label.
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
