import { CLUSTER_CATALOG_API } from '#core/kernel/api/cluster-catalog';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import type { ExtensionCatalog } from '#core/v1/extension/catalog-query';
import type { FeatureGates } from '#core/v1/extension/package-content';
import { inParallel } from '#platform/fairness/in-parallel';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import { text } from '../clusters/field.js';
import { catalogAt } from '../resolution/catalog-shelf.js';
import { extensionCatalog } from '../resolution/plan-extensions.js';

const CATALOGS_AT_ONCE = 4;

/**
 * The ClusterCatalogs of a cluster with their contents. `unread`: catalogs that could not be read from here,
 * each with the cause.
 */
export type LiveClusterCatalogs = Readonly<{ catalogs: readonly ExtensionCatalog[]; unread: readonly string[] }>;

/** Reads them by the images that the hub has unpacked, with the logins of this machine. */
export async function liveClusterCatalogs(client: KubeClient, gates: FeatureGates): Promise<LiveClusterCatalogs> {
  const found = (await client.list(CLUSTER_CATALOG_API))?.items ?? [];
  const read = await inParallel(found, CATALOGS_AT_ONCE, (catalog) =>
    readCatalog({ ...catalog, ...CLUSTER_CATALOG_API }, gates),
  );
  return {
    catalogs: read.flatMap(({ catalog }) => catalog ?? []),
    unread: read.flatMap(({ unread }) => unread ?? []),
  };
}

type ReadCatalog = Readonly<{ catalog: ExtensionCatalog | undefined; unread?: string }>;

async function readCatalog(object: KubernetesObject, gates: FeatureGates): Promise<ReadCatalog> {
  const image =
    text(object, 'status', 'resolvedSource', 'image', 'ref') || text(object, 'spec', 'source', 'image', 'ref');
  if (text(object, 'spec', 'availabilityMode') === 'Unavailable')
    return { catalog: extensionCatalog(object, undefined, gates) };
  try {
    return { catalog: extensionCatalog(object, await catalogAt(image), gates) };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { catalog: extensionCatalog(object, { unread: why }, gates), unread: `${object.metadata.name}: ${why}` };
  }
}
