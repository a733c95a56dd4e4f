import { changedRow, type WrittenRow, writtenRow } from '#core/view/rows/row-differences';
import type { ViewRow } from '#core/view/rows/rows';

/** Writes that give the read model the rows of a namespace. */
export type NamespaceChange = Readonly<{ changed: readonly ViewRow[]; removed: readonly string[] }>;

/** The rows of one cluster as they were written, by namespace; without that of the cluster itself. */
export class WrittenRows {
  readonly #namespaces = new Map<string, Map<string, WrittenRow>>();

  constructor(rows: readonly ViewRow[] = []) {
    for (const row of rows) this.#set(row);
  }

  /** The namespaces that have rows. */
  namespaces(): Iterable<string> {
    return this.#namespaces.keys();
  }

  change(namespace: string, rows: readonly ViewRow[]): NamespaceChange {
    const before = this.#namespaces.get(namespace);
    const ids = new Set(rows.map(({ id }) => id));
    return {
      changed: rows.flatMap((row) => changedRow(row, before?.get(row.id)) ?? []),
      removed: [...(before?.keys() ?? [])].filter((id) => !ids.has(id)),
    };
  }

  /** The rows as they are after the changes. */
  *after(changes: ReadonlyMap<string, NamespaceChange>): Iterable<WrittenRow> {
    for (const [namespace, rows] of this.#namespaces) {
      const change = changes.get(namespace);
      const replaced = new Set([...(change?.removed ?? []), ...(change?.changed ?? []).map(({ id }) => id)]);
      for (const [id, row] of rows) if (!replaced.has(id)) yield row;
    }
    for (const { changed } of changes.values()) yield* changed.map(writtenRow);
  }

  /** The changes are written. */
  take(changes: ReadonlyMap<string, NamespaceChange>): void {
    for (const [namespace, { changed, removed }] of changes) {
      for (const row of changed) this.#set(row);
      const rows = this.#namespaces.get(namespace);
      for (const id of removed) rows?.delete(id);
      if (rows?.size === 0) this.#namespaces.delete(namespace);
    }
  }

  #set(row: ViewRow): void {
    if (row.kind === 'cluster') return;
    const rows = this.#namespaces.get(row.namespace) ?? new Map<string, WrittenRow>();
    this.#namespaces.set(row.namespace, rows.set(row.id, writtenRow(row)));
  }
}
