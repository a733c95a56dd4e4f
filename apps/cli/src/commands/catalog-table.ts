import { cutTo, displayWidth, padded } from '../output/display-width.js';

/** Columns in their order: heading and the cell's text of a row. */
export type Columns<Row> = readonly (readonly [heading: string, cell: (row: Row) => string])[];

const GAP = 2;
/** A column is never cut to less than this: a terminal that is narrower yet wraps the lines. */
const NARROWEST = 8;

/**
 * A table with two blanks between columns, and none at the end of a line. Where `width` is given, that of a
 * terminal, the widest columns are cut until the lines fit.
 */
export function table<Row>(rows: readonly Row[], columns: Columns<Row>, width?: number): string {
  const lines = [columns.map(([heading]) => heading), ...rows.map((row) => columns.map(([, cell]) => cell(row)))];
  const natural = columns.map((_, column) =>
    lines.reduce((widest, cells) => Math.max(widest, displayWidth(cells[column] ?? '')), 0),
  );
  const widths = width === undefined ? natural : fitting(natural, width);
  return lines.map((cells) => `${lineOf(cells, widths)}\n`).join('');
}

const lineOf = (cells: readonly string[], widths: readonly number[]): string =>
  cells
    .map((cell, column) => padded(cutTo(cell, widths[column] ?? 0), widths[column] ?? 0))
    .join(' '.repeat(GAP))
    .trimEnd();

/** The widths of columns that fit a line: the widest are cut to one and the same width. */
function fitting(natural: readonly number[], width: number): readonly number[] {
  const room = width - GAP * (natural.length - 1);
  const capped = (cap: number) => natural.map((one) => Math.min(one, cap));
  const sum = (widths: readonly number[]) => widths.reduce((total, one) => total + one, 0);
  let cap = Math.max(NARROWEST, ...natural);
  while (cap > NARROWEST && sum(capped(cap)) > room) cap -= 1;
  return capped(cap);
}
