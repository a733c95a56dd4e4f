import { displayWidth } from './display-width.js';

/**
 * Fills each paragraph of help again that has a line wider than the terminal. Indented lines (options, which
 * Commander has wrapped, and examples, which are copied) stay as they are.
 */
export function wrappedHelp(text: string, width: number): string {
  const blocks: string[][] = [];
  for (const line of text.split('\n')) {
    const last = blocks.at(-1);
    if (last !== undefined && isProse(line) && isProse(last[0] ?? '')) last.push(line);
    else blocks.push([line]);
  }
  return blocks.flatMap((lines) => fitted(lines, width)).join('\n');
}

const isProse = (line: string): boolean => /^\S/.test(line);

function fitted(lines: readonly string[], width: number): readonly string[] {
  const isWide = lines.some((line) => isProse(line) && displayWidth(line) > width);
  return isWide ? filled(lines.join(' ').split(/\s+/), width) : lines;
}

function filled(words: readonly string[], width: number): readonly string[] {
  const lines: string[] = [];
  for (const word of words) {
    const longer = `${lines.at(-1)} ${word}`;
    if (lines.length > 0 && displayWidth(longer) <= width) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines;
}
