/** An order of rows: negative, zero for the same row, positive. */
export type RowOrder<R> = (a: R, b: R) => number;

/** Rows kept in an order, so that a change costs no sort. */
export class SortedRows<R> {
  #rows: R[];

  constructor(
    private readonly order: RowOrder<R>,
    rows: readonly R[] = [],
  ) {
    this.#rows = rows.toSorted(order);
  }

  get rows(): readonly R[] {
    return this.#rows;
  }

  add(row: R): void {
    this.#rows.splice(this.#place(row), 0, row);
  }

  /** Takes the row out that was added. */
  remove(row: R): void {
    const place = this.#place(row);
    if (this.#rows[place] === row) this.#rows.splice(place, 1);
  }

  /** Returns the index of the first row that does not come before. */
  #place(row: R): number {
    let [low, high] = [0, this.#rows.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      const other = this.#rows[middle];
      if (other !== undefined && this.order(other, row) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

export const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
