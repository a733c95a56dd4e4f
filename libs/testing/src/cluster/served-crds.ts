import { crdGroup, crdKind, crdVersions } from '#core/kernel/crd/crd-versions';
import { joinCrds } from '#platform/joining/join-cluster';
import { shippedManifests } from '#platform/joining/shipped-manifests';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import { PATIENCE_MS, pause } from '../patience.js';
import { keepKnown, restoreKnown } from './known-definitions.js';
import type { SimulatedCluster } from './simulated-cluster.js';

/** Gives the cluster the definitions of OLM's kinds; resolves once it serves all of them. */
export async function serveCrds(client: KubeClient): Promise<void> {
  await joinCrds(client);
  await untilServed(client);
}

/**
 * Gives a cluster of this process the definitions of OLM's kinds, taken from another cluster that has them.
 */
export async function serveKnownCrds(client: KubeClient, cluster: SimulatedCluster): Promise<void> {
  const { crds } = await shippedManifests();
  if (restoreKnown(cluster, crds).length > 0) await joinCrds(client);
  await untilServed(client);
  keepKnown(cluster, crds);
}

async function untilServed(client: KubeClient): Promise<void> {
  const { crds } = await shippedManifests();
  for (const crd of crds) {
    const [version] = crdVersions(crd);
    const kind = { apiVersion: `${crdGroup(crd)}/${version?.name}`, kind: crdKind(crd) };
    const givenUpAt = Date.now() + PATIENCE_MS;
    while (!(await client.serves(kind))) {
      if (Date.now() > givenUpAt) throw new Error(`${kind.kind} is not served after ${PATIENCE_MS} ms`);
      await pause(20);
    }
  }
}
