import { afterAll, beforeAll, describe } from 'vitest';
import { loadClusters } from '#platform/kube/access/load-clusters';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import { serveCrds } from '#testing/cluster/served-crds';
import { startControlPlane } from '#testing/control-plane/find-control-plane';
import { startRegistry } from '#testing/registry/in-memory-registry';
import { describeClassicGroups } from '../story/classic-group-stories.js';
import { describeClassicSuite } from '../story/classic-suite-stories.js';
import { allRunning, startQuickEnvironment } from '../story/quick-environment.js';
import { describeRepairsByHand } from '../story/repairs-by-hand.js';

describe('what people delete and write by hand, on a real API server', () => {
  let client: KubeClient;
  let stop: () => Promise<unknown>;
  beforeAll(async () => {
    const registry = await startRegistry();
    const plane = await startControlPlane({ clusters: 1 });
    const kubeconfigs = plane.clusters.map(({ kubeconfigPath }) => kubeconfigPath);
    const [own] = await loadClusters({ kubeconfigs, fieldManager: 'e2e' });
    if (own === undefined) throw new Error('a control plane without clusters');
    client = own;
    await serveCrds(client);
    const environment = await startQuickEnvironment({ registry, kubeconfigs });
    stop = async () => {
      await environment.stop();
      await client.close();
      await registry.stop();
      await plane.stop();
    };
    await allRunning(environment.services);
  });
  afterAll(() => stop?.());

  describeRepairsByHand(() => client);
  describeClassicSuite(() => client);
  describeClassicGroups(() => client);
});
