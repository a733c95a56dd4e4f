import { crdGroup, crdKind, crdVersions } from '#core/kernel/crd/crd-versions';
import { joinCrds } from '#platform/joining/join-cluster';
import { shippedManifests } from '#platform/joining/shipped-manifests';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import { PATIENCE_MS, pause } from '../patience.js';

/** Gives the cluster the definitions of OLM's kinds; resolves once it serves all of them. */
export async function serveCrds(client: KubeClient): Promise<void> {
  await joinCrds(client);
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
