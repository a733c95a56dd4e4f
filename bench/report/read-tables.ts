/** A table of Markdown. */
export type MarkdownTable = Readonly<{ headings: readonly string[]; rows: readonly (readonly string[])[] }>;

/** Text between tables, and tables, in order. */
export type OutputPart = Readonly<{ text: string }> | Readonly<{ table: MarkdownTable }>;

const cellsOf = (line: string): string[] =>
  line
    .slice(1, -1)
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim());

/** Takes the output of a bench apart. */
export function readTables(output: string): readonly OutputPart[] {
  const blocks = output.split(/\n(?=\|)(?<!\|\n)|(?<=\|\n)(?!\|)/);
  return blocks
    .map((block) => block.trim())
    .filter((block) => block !== '')
    .map((block): OutputPart => {
      const lines = block.split('\n');
      if (!lines.every((line) => line.startsWith('|')) || lines.length < 2) return { text: block };
      const [head = '', , ...rows] = lines;
      return { table: { headings: cellsOf(head), rows: rows.map(cellsOf) } };
    });
}

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1_000 };

/** A duration at the start of a cell, in milliseconds. */
export function durationIn(cell: string): number | undefined {
  const [, value = '', unit = ''] = /^(\d+(?:\.\d+)?) (ms|s)\b/.exec(cell) ?? [];
  return value === '' ? undefined : Number(value) * (UNITS[unit] ?? Number.NaN);
}
