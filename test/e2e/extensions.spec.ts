import { describe } from 'vitest';
import { loadClusters } from '#platform/kube/access/load-clusters';
import { serveCrds } from '#testing/cluster/served-crds';
import { applierLogins } from '#testing/control-plane/applier-logins';
import { startControlPlane } from '#testing/control-plane/find-control-plane';
import { startRegistry } from '#testing/registry/in-memory-registry';
import { describeExtensions } from '../story/extension-stories.js';
import { passOverExtension } from '../story/late-pass.js';
import { allRunning, startQuickEnvironment } from '../story/quick-environment.js';

/** Kinds that no bundle brings, and that ClusterObjectSets of users have. */
const IN_OBJECT_SETS = ['persistentvolumeclaims', 'things.absent.example.com'];

describe('ClusterExtensions on a real API server', () => {
  describeExtensions(
    async () => {
      const registry = await startRegistry();
      const plane = await startControlPlane({ clusters: 1 });
      const kubeconfigs = plane.clusters.map(({ kubeconfigPath }) => kubeconfigPath);
      const installing = await loadClusters({ kubeconfigs, fieldManager: 'e2e' });
      await Promise.all(installing.map((one) => serveCrds(one)));
      await Promise.all(installing.map((one) => one.close()));
      const environment = await startQuickEnvironment({
        ...{ registry, kubeconfigs },
        applierLogins: (files, folder) => applierLogins(files, folder, { alsoWrites: IN_OBJECT_SETS }),
      });
      const [client] = environment.clients;
      if (client === undefined) throw new Error('an environment without clusters');
      const end = async () => {
        await environment.stop();
        await registry.stop();
        await plane.stop();
      };
      return {
        client,
        registry,
        running: () => allRunning(environment.services),
        passLater: (extension, at) => passOverExtension(environment, client, extension, at),
        stop: end,
      };
    },
    { all: true },
  );
});
