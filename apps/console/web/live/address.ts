import { filterValue } from '#core/kernel/text/filter-values';
import { pagePaths } from '#core/view/questions/page-paths';

/** A path with the parts of a query that have a value, in a fixed order. */
export function withQuery(path: string, query: Readonly<Record<string, string | undefined>>): string {
  const search = new URLSearchParams();
  for (const [key, value] of Object.entries(query)) if (value !== undefined && value !== '') search.set(key, value);
  const text = search.toString().replaceAll('%2C', ',').replaceAll('%2F', '/');
  return text === '' ? path : `${path}?${text}`;
}

/** Returns filters for exactly these values, whatever characters they have. */
export const exactly = (values: Readonly<Record<string, string | undefined>>): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(values).flatMap(([key, value]) => (value === undefined ? [] : [[key, filterValue(value)]])),
  );

const part = encodeURIComponent;

export const paths = {
  ...pagePaths,
  reviewTogether: (hashes: readonly string[]) =>
    withQuery('/approvals/together', { class: hashes.map(filterValue).join(',') }),
};

/** Paths of the API for the row of a page. The row is found by its names, and in no window of others. */
export const rowPaths = {
  cluster: (cluster: string) => withQuery('clusters', { ...exactly({ cluster }), limit: '1' }),
  operator: (cluster: string, id: string) => withQuery('operators', { ...exactly({ cluster }), id, limit: '1' }),
  package: (name: string) => withQuery('packages', { ...exactly({ package: name }), limit: '1' }),
  /** Catalogs of one name each with this content. */
  content: (id: string) => withQuery('catalogs', { id }),
  /** The content that a cluster has under the name of a catalog. */
  contentIn: (cluster: string, catalog: string) => withQuery('catalogs', exactly({ cluster, catalog })),
  planClass: (hash: string) => withQuery('plan-classes', { ...exactly({ hash }), limit: '1' }),
  rollout: (id: string) => `rollouts/${part(id)}`,
  decider: (id: string) => `rollouts/${part(id)}/decider`,
};
