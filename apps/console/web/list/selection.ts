import { useEffect, useState } from 'preact/hooks';

/** Rows that are ticked: some by themselves, or everything that the filter matches, but for some. */
export type Selection<R> = Readonly<{
  all: boolean;
  /** The rows that are ticked; with `all` those that are not. */
  rows: ReadonlyMap<string, R>;
}>;

export type Selecting<R> = Selection<R> &
  Readonly<{
    count: number;
    has: (row: R) => boolean;
    toggle: (row: R) => void;
    toggleAll: () => void;
    clear: () => void;
  }>;

export type Addressed = Readonly<{ cluster: string; id: string }>;
export const rowKey = ({ cluster, id }: Addressed): string => `${cluster}\0${id}`;

const NOTHING = { all: false, rows: new Map<string, never>() };

/**
 * Selects rows of a list. `path`: the filter; another filter starts a new selection. `total`: number of all
 * rows that match. `keyOf`: tells rows apart.
 */
export function useSelection<R>(path: string, total: number, keyOf: (row: R) => string): Selecting<R> {
  const [{ all, rows }, set] = useState<Selection<R>>(NOTHING);
  useEffect(() => set(NOTHING), [path]);
  const toggle = (row: R) => {
    const next = new Map(rows);
    if (!next.delete(keyOf(row))) next.set(keyOf(row), row);
    set({ all, rows: next });
  };
  const count = all ? Math.max(0, total - rows.size) : rows.size;
  return {
    ...{ all, rows, count, toggle },
    has: (row) => rows.has(keyOf(row)) !== all,
    toggleAll: () => set(count > 0 && count === total ? NOTHING : { all: true, rows: new Map() }),
    clear: () => set(NOTHING),
  };
}
