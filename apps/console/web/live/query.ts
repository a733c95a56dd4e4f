import { useLocation } from 'preact-iso';
import { withQuery } from './address.js';

export type Query = Readonly<Record<string, string>>;

/** `isStep`: the change is a step of the browser's history, so that Back undoes it. */
type Change = (change: Readonly<Record<string, string | undefined>>, isStep?: boolean) => void;

/** The state of a page is in its address, so that a link shows the same. */
export function useQuery(): readonly [Query, Change] {
  const { path, query, route } = useLocation();
  return [query, (change, isStep = false) => route(withQuery(path, { ...query, ...change }), !isStep)];
}
