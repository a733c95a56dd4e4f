import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { BAD_OBJECTS, GOOD_OBJECTS, isUnknownField } from '#core/rollout/kinds/bad-values.fixture';
import { loadClusters } from '#platform/kube/access/load-clusters';
import { KubeApiError, type KubeClient } from '#platform/kube/client/kube-client.port';
import { fleetDefinitions } from '#testing/cluster/fleet-definitions';
import { type ControlPlane, startControlPlane } from '#testing/control-plane/find-control-plane';
import { PATIENCE } from '#testing/patience';

/** Its own admission policy decides about authors; the table is about values. */
describe('an API server with the definitions of the fleet', () => {
  let controlPlane: ControlPlane | undefined;
  let hub: KubeClient;

  beforeAll(async () => {
    controlPlane = await startControlPlane();
    const [{ kubeconfigPath } = { kubeconfigPath: '' }] = controlPlane.clusters;
    const [loaded] = await loadClusters({ kubeconfigs: [kubeconfigPath], fieldManager: 'e2e' });
    if (loaded === undefined) throw new Error('the control plane has no cluster');
    hub = loaded;
    const refused: string[] = [];
    for (const definition of await fleetDefinitions())
      await hub.create(definition).catch((error) => refused.push(error.message));
    expect(refused).toEqual([]);
    await hub.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'platform' } });
    await vi.waitFor(async () => expect(await said(GOOD_OBJECTS[0])).toBe('accepted'), PATIENCE);
    await vi.waitFor(async () => expect(await said(GOOD_OBJECTS[5])).toBe('accepted'), PATIENCE);
  });
  afterAll(async () => {
    await hub?.close();
    await controlPlane?.stop();
  });

  /** Returns `accepted`, or the answer of the API server. */
  async function said(object: KubernetesObject | undefined): Promise<string> {
    if (object === undefined) throw new Error('there is no object');
    try {
      await hub.create(object, { dryRun: true });
      return 'accepted';
    } catch (error) {
      if (!(error instanceof KubeApiError)) throw error;
      return error.message;
    }
  }

  it('accepts what plan -f, the folder and simulate accept', async () => {
    expect(await Promise.all(GOOD_OBJECTS.map(said))).toEqual(GOOD_OBJECTS.map(() => 'accepted'));
  });

  it('refuses what plan -f, the folder and simulate refuse', async () => {
    const accepted: string[] = [];
    // kubectl refuses unknown fields; other clients have them dropped.
    for (const { title, object } of BAD_OBJECTS.filter((one) => !isUnknownField(one.title))) {
      if ((await said(object)) === 'accepted') accepted.push(title);
    }
    expect(accepted).toEqual([]);
  });
});
