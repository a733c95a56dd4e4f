import { COPIED_FROM_LABEL } from '#core/classic/csv/copies/step-copies';
import { diagnoseExtension, type ExtensionSurroundings } from '#core/cluster/diagnosis/diagnose-extension';
import { objectsInTheWay } from '#core/cluster/diagnosis/extension-in-the-way';
import { CLUSTER_CATALOG_API } from '#core/kernel/api/cluster-catalog';
import { CLUSTER_OBJECT_SET_API } from '#core/kernel/api/cluster-object-set';
import { type ClusterServiceVersion, CSV_API } from '#core/kernel/api/cluster-service-version';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { OWNER_NAME_LABEL } from '#core/v1/revision/revision-keys';
import { KubeApiError, type KubeClient } from '#platform/kube/client/kube-client.port';

/**
 * Reads objects that may explain why the extension is stopped. Nothing is read for one that continues by
 * itself.
 */
export async function extensionSurroundings(
  client: KubeClient,
  extension: KubernetesObject,
): Promise<ExtensionSurroundings> {
  const { standing } = diagnoseExtension(extension, { csvs: [] });
  if (standing !== 'blocked' && standing !== 'failed') return { csvs: [] };
  const named = objectsInTheWay(extension);
  const owner = `${OWNER_NAME_LABEL}=${extension.metadata.name}`;
  const [csvs, inTheWay, clusterCatalogs, revisions] = await Promise.all([
    client.list<ClusterServiceVersion>(CSV_API, { labelSelector: `!${COPIED_FROM_LABEL}` }).catch(unreadable),
    Promise.all(named.map((ref) => client.get(ref).catch(unreadable))),
    client.list(CLUSTER_CATALOG_API).catch(unreadable),
    client.list(CLUSTER_OBJECT_SET_API, { labelSelector: owner }).catch(unreadable),
  ]);
  return {
    csvs: csvs?.items ?? [],
    // Lists leave apiVersion and kind out of their items; objects that were asked for one by one have theirs.
    inTheWay: inTheWay.filter((one) => one !== undefined),
    clusterCatalogs: (clusterCatalogs?.items ?? []).map((one) => ({ ...one, ...CLUSTER_CATALOG_API })),
    revisions: revisions?.items ?? [],
  };
}

/** Skips a kind that is not served, or that the user may not read: the diagnosis continues without it. */
function unreadable(error: unknown): undefined {
  if (!KubeApiError.is(error, 'NotFound') && !KubeApiError.is(error, 'Forbidden')) throw error;
}
