import type { ListQuery } from '../api/lists.schema.js';
import type { FacetQuestion, Facets, KeptFacets } from './facets.js';
import { everyRow, matching, type RowColumns, sortedBy } from './filter.js';

type Window<R> = {
  items: R[];
  total: number;
  facets?: Facets;
};

/** How counts of values are made: their question and their cache. */
export type Counting = Readonly<{ kept: KeptFacets; question: FacetQuestion }>;

/**
 * Returns the part of a list that a query asks for: filtered, sorted, cut. Counts are over everything that
 * matches.
 */
export function windowOf<R>(
  rows: readonly R[],
  query: ListQuery,
  columns: RowColumns<R>,
  { kept, question }: Counting,
): Window<R> {
  const matches = matching(query, columns);
  const found = matches === everyRow ? rows : rows.filter(matches);
  const window: Window<R> = { items: [...sortedBy(found, query.sort, columns, query)], total: found.length };
  const facets = kept.of(question, columns, () => found);
  return facets === undefined ? window : { ...window, facets };
}
