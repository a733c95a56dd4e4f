import type { ListQuery } from '../api/lists.schema.js';
import { facetsOf, matching, orderOf, type RowColumns } from './filter.js';

export type Window<R> = {
  items: R[];
  total: number;
  facets?: Record<string, { value: string; count: number }[]>;
};

/** What of a list a query asks for: filtered, sorted, cut; counts are over everything that matches. */
export function windowOf<R>(rows: readonly R[], query: ListQuery, columns: RowColumns<R>): Window<R> {
  const found = rows.filter(matching(query, columns));
  const order = orderOf(query.sort, columns);
  const sorted = order === undefined ? found : found.toSorted(order);
  const { offset, limit } = query;
  const window: Window<R> = { items: sorted.slice(offset, offset + limit), total: found.length };
  return query.facets === 'true' ? { ...window, facets: facetsOf(found, columns) } : window;
}
