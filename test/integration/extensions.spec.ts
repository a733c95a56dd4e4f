import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe } from 'vitest';
import { loadClusters } from '#platform/kube/load-clusters';
import { startSimulatedFleet } from '#testing/cluster/simulated-fleet';
import { startRegistry } from '#testing/registry/in-memory-registry';
import { installMissingCrds } from '../../apps/cli/src/clusters/install-crds.js';
import { describeExtensions } from '../story/extension-stories.js';
import { passOverExtension } from '../story/late-pass.js';
import { allRunning, startQuickEnvironment } from '../story/quick-environment.js';

describe('ClusterExtensions on a simulated cluster', () => {
  describeExtensions(
    async () => {
      const folder = await mkdtemp(join(tmpdir(), 'flotilla-extensions-'));
      const kubeconfig = join(folder, 'kubeconfig');
      const fleet = await startSimulatedFleet({ clusters: ['east'], deploymentReadyAfterMs: 100 });
      await writeFile(kubeconfig, fleet.kubeconfig(), { mode: 0o600 });
      const registry = await startRegistry();
      // A watch of a kind that is not there yet looks for it every few seconds only.
      const [client] = await loadClusters({ kubeconfigs: [kubeconfig], fieldManager: 'tests' });
      if (client === undefined) throw new Error('the fleet has no cluster');
      await installMissingCrds(client);
      const environment = await startQuickEnvironment({ registry, kubeconfigs: [kubeconfig] });
      const end = async () => {
        await environment.stop();
        await client.close();
        await Promise.all([registry.stop(), fleet.stop(), rm(folder, { recursive: true, force: true })]);
      };
      return {
        client,
        registry,
        running: () => allRunning(environment.services),
        passLater: (extension, at) => passOverExtension(environment, client, extension, at),
        stop: end,
      };
    },
    { all: false },
  );
});
