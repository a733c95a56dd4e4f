/** A table of Markdown; a bar or a line break in a cell does not end it. */
export function markdownTable(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map(cellOf).join(' | ')} |`;
  return [line(headings), `|${'---|'.repeat(headings.length)}`, ...rows.map(line)].join('\n');
}

const cellOf = (text: string): string => text.replaceAll(/\s*\n\s*/g, ' ').replaceAll('|', '\\|');

/** A word as code; nothing for nothing. */
export const code = (text: string): string => (text === '' ? '' : `\`${text}\``);
