import type { ListQuery } from '../api/lists.schema.js';
import { everyRow, facetsOf, matching, type RowColumns, sortedBy } from './filter.js';

export type Window<R> = {
  items: R[];
  total: number;
  facets?: Record<string, { value: string; count: number }[]>;
};

/** What of a list a query asks for: filtered, sorted, cut; counts are over everything that matches. */
export function windowOf<R>(rows: readonly R[], query: ListQuery, columns: RowColumns<R>): Window<R> {
  const matches = matching(query, columns);
  const found = matches === everyRow ? rows : rows.filter(matches);
  const sorted = sortedBy(found, query.sort, columns);
  const { offset, limit } = query;
  const window: Window<R> = { items: sorted.slice(offset, offset + limit), total: found.length };
  return query.facets === 'true' ? { ...window, facets: facetsOf(found, columns) } : window;
}
