import { useLocation } from 'preact-iso';
import { withQuery } from './address.js';

export type Query = Readonly<Record<string, string>>;

/** The state of a page is in its address, so that a link shows the same. */
export function useQuery(): readonly [Query, (change: Readonly<Record<string, string | undefined>>) => void] {
  const { path, query, route } = useLocation();
  return [query, (change) => route(withQuery(path, { ...query, ...change }), true)];
}
