import { clusterCatalogRow } from '#core/view/rows/catalog-row';
import type { ClusterSigns } from '#core/view/rows/cluster-row';
import { extensionRow } from '#core/view/rows/extension-row';
import type { ViewRow } from '#core/view/rows/rows';
import type { ObservedCluster } from '../../classic/observation/observed-cluster.js';
import type { ObservedV1 } from '../../v1/observation/observed-v1.js';
import type { RowSource } from './cluster-rows.js';

/** Stands for objects in no namespace: ClusterExtensions and ClusterCatalogs. */
export const NO_NAMESPACE = '';

type Options = Readonly<{
  cluster: string;
  parts: () => Readonly<{ classic: ObservedCluster; v1: ObservedV1 }>;
  facts: () => ClusterSigns | undefined;
}>;

/** Returns the rows of a cluster, from the poller's observation there. */
export const observedRows = ({ cluster, parts, facts }: Options): RowSource => ({
  synced: () => parts().classic.rows.synced(),
  namespaces: () => [...parts().classic.rows.namespaces(), NO_NAMESPACE],
  rowsOf: (namespace, now) => {
    const { classic, v1 } = parts();
    return namespace === NO_NAMESPACE ? rowsOfV1(cluster, classic, v1, now) : classic.rows.rowsOf(namespace, now);
  },
  shown: (namespace, plan) => parts().classic.rows.shown(namespace, plan),
  cluster: facts,
});

function rowsOfV1(
  cluster: string,
  classic: ObservedCluster,
  { catalogs, extensions }: ObservedV1,
  now: string,
): readonly ViewRow[] | undefined {
  const all = extensions.all();
  if (all === undefined || !catalogs.synced) return undefined;
  const clusterCatalogs = catalogs.objects();
  const csvs = all.length === 0 ? [] : classic.rows.csvs();
  return [
    ...all.map((one) => extensionRow(one, { cluster, csvs, clusterCatalogs }, now)),
    ...clusterCatalogs.map((one) => clusterCatalogRow(cluster, one, 0, now)),
  ];
}
