import { describe } from 'vitest';
import { loadClusters } from '#platform/kube/load-clusters';
import { startControlPlane } from '#testing/control-plane/find-control-plane';
import { startRegistry } from '#testing/registry/in-memory-registry';
import { installMissingCrds } from '../../apps/cli/src/clusters/install-crds.js';
import { describeExtensions } from '../story/extension-stories.js';
import { lookAtExtension } from '../story/late-look.js';
import { allRunning, setQuickStage } from '../story/quick-stage.js';

describe('ClusterExtensions on a real API server', () => {
  describeExtensions(
    async () => {
      const registry = await startRegistry();
      const plane = await startControlPlane({ clusters: 1 });
      const kubeconfigs = plane.clusters.map(({ kubeconfigPath }) => kubeconfigPath);
      const installing = await loadClusters({ kubeconfigs, fieldManager: 'e2e' });
      await Promise.all(installing.map((one) => installMissingCrds(one)));
      await Promise.all(installing.map((one) => one.close()));
      const stage = await setQuickStage({ registry, kubeconfigs });
      const [client] = stage.clients;
      if (client === undefined) throw new Error('a stage without clusters');
      const end = async () => {
        await stage.strike();
        await registry.stop();
        await plane.stop();
      };
      return {
        client,
        registry,
        running: () => allRunning(stage.services),
        lookLater: (extension, at) => lookAtExtension(stage, client, extension, at),
        strike: end,
      };
    },
    { all: true },
  );
});
