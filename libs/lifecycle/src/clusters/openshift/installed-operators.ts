import { COPIED_FROM_LABEL } from '#core/classic/csv/copies/step-copies';
import type { InstalledOperator } from '#core/cluster/openshift/incompatible-operators';
import { CLUSTER_EXTENSION_API } from '#core/kernel/api/cluster-extension';
import { CLUSTER_OBJECT_SET_API, ClusterObjectSet } from '#core/kernel/api/cluster-object-set';
import { type ClusterServiceVersion, CSV_API } from '#core/kernel/api/cluster-service-version';
import { isCopied } from '#core/kernel/api/csv-facts';
import { OWNER_KIND_LABEL, OWNER_NAME_LABEL } from '#core/v1/revision/revision-keys';
import { revisionStates } from '#core/v1/revision/revision-states';
import type { KubeClient } from '#platform/kube/client/kube-client.port';

/** Returns the installs of OLM Classic in a cluster, by `namespace/name` of the CSVs. */
export async function installedCsvs(client: KubeClient): Promise<InstalledOperator[]> {
  const csvs = await client.list<ClusterServiceVersion>(CSV_API, { labelSelector: `!${COPIED_FROM_LABEL}` });
  return (csvs?.items ?? [])
    .filter((csv) => !isCopied(csv))
    .map(({ metadata }) => ({
      name: `${metadata.namespace}/${metadata.name}`,
      annotations: metadata.annotations ?? {},
    }));
}

/**
 * Returns the installs of OLM v1, by name of the ClusterExtensions: the properties of a bundle are at its
 * revision.
 */
export async function installedExtensions(client: KubeClient): Promise<InstalledOperator[]> {
  const labelSelector = `${OWNER_KIND_LABEL}=${CLUSTER_EXTENSION_API.kind}`;
  const found = await client.list(CLUSTER_OBJECT_SET_API, { labelSelector });
  const revisions = (found?.items ?? []).flatMap(
    (object) => ClusterObjectSet.safeParse({ ...object, ...CLUSTER_OBJECT_SET_API }).data ?? [],
  );
  const byExtension = Map.groupBy(revisions, ({ metadata }) => metadata.labels?.[OWNER_NAME_LABEL] ?? '');
  return [...byExtension].flatMap(([name, own]) => {
    const { installed } = revisionStates(own);
    return installed === undefined ? [] : [{ name, annotations: installed.metadata.annotations ?? {} }];
  });
}
