import { vi } from 'vitest';
import { crdGroup, crdKind, crdVersions } from '#core/kernel/crd/crd-versions';
import { joinCrds } from '#platform/joining/join-cluster';
import { shippedManifests } from '#platform/joining/shipped-manifests';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import { PATIENCE } from '../patience.js';

/** Gives the cluster the definitions of OLM's kinds; resolves once it serves all of them. */
export async function serveCrds(client: KubeClient): Promise<void> {
  await joinCrds(client);
  const { crds } = await shippedManifests();
  for (const crd of crds) {
    const [version] = crdVersions(crd);
    const kind = { apiVersion: `${crdGroup(crd)}/${version?.name}`, kind: crdKind(crd) };
    await vi.waitFor(async () => {
      if (!(await client.serves(kind))) throw new Error(`${kind.kind} is not served yet`);
    }, PATIENCE);
  }
}
