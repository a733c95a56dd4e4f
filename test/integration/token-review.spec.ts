import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadClusters } from '#platform/kube/access/load-clusters';
import { startSimulatedFleet } from '#testing/cluster/simulated-fleet';
import { tokenReviewContract } from '../contract/token-review.contract.js';

tokenReviewContract('a simulated cluster', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'token-review-'));
  const fleet = await startSimulatedFleet({ clusters: ['hub'] });
  const kubeconfig = join(folder, 'kubeconfig');
  await writeFile(kubeconfig, fleet.kubeconfig());
  const [client] = await loadClusters({ kubeconfigs: [kubeconfig], fieldManager: 'test' });
  if (client === undefined) throw new Error('there is no cluster');
  return {
    client,
    server: fleet.cluster('hub'),
    stop: async () => {
      await client.close();
      await fleet.stop();
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
});
