import { filterValue } from '../../kernel/text/filter-values.js';

const part = encodeURIComponent;

type OperatorPlace = Readonly<{ cluster: string; namespace: string; name: string; api: string }>;

/** Addresses of the console's pages, for its own links and for those that commands print. */
export const pagePaths = {
  fleet: () => '/',
  cluster: (cluster: string) => `/clusters/${part(cluster)}`,
  operator: ({ cluster, namespace, name, api }: OperatorPlace) =>
    api === 'v1'
      ? `/clusters/${part(cluster)}/extensions/${part(name)}`
      : `/clusters/${part(cluster)}/${part(namespace)}/subscriptions/${part(name)}`,
  package: (name: string) => `/operators/${part(name)}`,
  catalog: (id: string) => `/catalogs/${part(id)}`,
  /** The catalog of a cluster: `NAMESPACE/NAME`, or the name of a ClusterCatalog. */
  catalogIn: (cluster: string, catalog: string) =>
    `/catalogs?cluster=${part(filterValue(cluster))}&catalog=${part(filterValue(catalog))}`,
  catalogPackage: (id: string, name: string) => `/catalogs/${part(id)}/packages/${part(name)}`,
  review: (hash: string) => `/approvals/${part(hash)}`,
  rollouts: () => '/rollouts',
  /** `id`: that of a FleetRollout is `NAMESPACE/NAME`. */
  rollout: (id: string) => `/rollouts/${part(id)}`,
};
