import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe } from 'vitest';
import { loadClusters } from '#platform/kube/access/load-clusters';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import { startSimulatedFleet } from '#testing/cluster/simulated-fleet';
import { startRegistry } from '#testing/registry/in-memory-registry';
import { installMissingCrds } from '../../apps/cli/src/clusters/install-crds.js';
import { allRunning, startQuickEnvironment } from '../story/quick-environment.js';
import { describeRepairsByHand } from '../story/repairs-by-hand.js';

describe('what people delete by hand, on a simulated cluster', () => {
  let client: KubeClient;
  let stop: () => Promise<unknown>;
  beforeAll(async () => {
    const folder = await mkdtemp(join(tmpdir(), 'flotilla-by-hand-'));
    const kubeconfig = join(folder, 'kubeconfig');
    const fleet = await startSimulatedFleet({ clusters: ['east'], deploymentReadyAfterMs: 100 });
    await writeFile(kubeconfig, fleet.kubeconfig(), { mode: 0o600 });
    const registry = await startRegistry();
    const [own] = await loadClusters({ kubeconfigs: [kubeconfig], fieldManager: 'tests' });
    if (own === undefined) throw new Error('the fleet has no cluster');
    client = own;
    await installMissingCrds(client);
    const environment = await startQuickEnvironment({ registry, kubeconfigs: [kubeconfig] });
    stop = async () => {
      await environment.stop();
      await client.close();
      await Promise.all([registry.stop(), fleet.stop(), rm(folder, { recursive: true, force: true })]);
    };
    await allRunning(environment.services);
  });
  afterAll(() => stop?.());

  describeRepairsByHand(() => client);
});
