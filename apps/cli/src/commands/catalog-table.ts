/** Columns in their order: heading and the cell's text of a row. */
export type Columns<Row> = readonly (readonly [heading: string, cell: (row: Row) => string])[];

/** A table with two blanks between columns; the last column is not padded. */
export function table<Row>(rows: readonly Row[], columns: Columns<Row>): string {
  const lines = [columns.map(([heading]) => heading), ...rows.map((row) => columns.map(([, cell]) => cell(row)))];
  const widths = columns.map((_, column) => Math.max(...lines.map((cells) => [...(cells[column] ?? '')].length)));
  const padded = lines.map((cells) =>
    cells.map((cell, column) => (column === columns.length - 1 ? cell : cell + blanks(cell, widths[column]))).join(''),
  );
  return padded.map((line) => `${line}\n`).join('');
}

const blanks = (cell: string, width = 0): string => ' '.repeat(Math.max(width - [...cell].length, 0) + 2);
