import type { ViewRow } from '#core/view/rows/rows';

/** Texts of rows that are gone stay until there are so many. */
const MOST = 200_000;

/**
 * Keeps one text in memory for equal texts of many rows. Rows come as JSON, each with texts of its own, and a
 * fleet has one package in a thousand clusters. Shared texts are also compared and counted faster.
 */
export class SharedTexts {
  readonly #known = new Map<string, string>();

  /** Returns the row with its texts replaced by equal texts of earlier rows. */
  row<R extends ViewRow>(row: R): R {
    const shared: Record<string, unknown> = { ...row };
    for (const [field, value] of Object.entries(row)) if (typeof value === 'string') shared[field] = this.#of(value);
    return shared as R;
  }

  #of(text: string): string {
    const known = this.#known.get(text);
    if (known !== undefined) return known;
    if (this.#known.size >= MOST) this.#known.clear();
    this.#known.set(text, text);
    return text;
  }
}
