import { displayWidth, padded } from '../terminal/display-width.js';
import type { Columns } from './table.js';

/**
 * A table that gets its rows little by little: the headings once, and columns that are never narrower than
 * before.
 */
export class GrowingTable<Row> {
  #widths: readonly number[] = [];

  constructor(
    private readonly columns: Columns<Row>,
    private readonly hasHeadings = true,
  ) {}

  /** The lines of further rows, each with its note behind it. */
  add(rows: readonly Readonly<{ row: Row; note: string }>[]): string {
    const isFirst = this.#widths.length === 0 && this.hasHeadings;
    const headings = isFirst ? [this.columns.map(([heading]) => heading)] : [];
    const cells = rows.map(({ row, note }) => [...this.columns.map(([, cell]) => cell(row)), note]);
    const lines = [...headings, ...cells];
    this.#widths = this.columns.map((_, column) =>
      Math.max(this.#widths[column] ?? 0, ...lines.map((line) => displayWidth(line[column] ?? ''))),
    );
    return lines.map((line) => `${this.#padded(line)}\n`).join('');
  }

  #padded(line: readonly string[]): string {
    return line
      .map((cell, column) => padded(cell, this.#widths[column] ?? 0))
      .join('  ')
      .trimEnd();
  }
}
