import { useLocation } from 'preact-iso';

export type Query = Readonly<Record<string, string>>;

/** A path with the parts of a query that have a value, in a fixed order. */
export function withQuery(path: string, query: Readonly<Record<string, string | undefined>>): string {
  const search = new URLSearchParams();
  for (const [key, value] of Object.entries(query)) if (value !== undefined && value !== '') search.set(key, value);
  const text = search.toString().replaceAll('%2C', ',').replaceAll('%2F', '/');
  return text === '' ? path : `${path}?${text}`;
}

/** The state of a page is in its address, so that a link shows the same. */
export function useQuery(): readonly [Query, (change: Readonly<Record<string, string | undefined>>) => void] {
  const { path, query, route } = useLocation();
  return [query, (change) => route(withQuery(path, { ...query, ...change }), true)];
}

const part = encodeURIComponent;

export const paths = {
  cluster: (cluster: string) => `/clusters/${part(cluster)}`,
  operator: ({ cluster, namespace, name, api }: { cluster: string; namespace: string; name: string; api: string }) =>
    api === 'v1'
      ? `/clusters/${part(cluster)}/extensions/${part(name)}`
      : `/clusters/${part(cluster)}/${part(namespace)}/subscriptions/${part(name)}`,
  package: (name: string) => `/operators/${part(name)}`,
  catalog: (id: string) => `/catalogs/${part(id)}`,
  catalogPackage: (id: string, name: string) => `/catalogs/${part(id)}/packages/${part(name)}`,
  review: (hash: string) => `/approvals/${part(hash)}`,
  rollout: (id: string) => `/rollouts/${part(id)}`,
};
