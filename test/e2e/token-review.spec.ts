import { readFile } from 'node:fs/promises';
import { parse } from 'yaml';
import { z } from 'zod';
import { loadClusters } from '#platform/kube/access/load-clusters';
import { startControlPlane } from '#testing/control-plane/find-control-plane';
import { tokenReviewContract } from '../contract/token-review.contract.js';

const Kubeconfig = z.looseObject({
  clusters: z.tuple([z.looseObject({ cluster: z.looseObject({ server: z.string() }) })]),
  users: z.tuple([z.looseObject({ user: z.looseObject({ token: z.string().optional() }) })]),
});

tokenReviewContract('a real API server', async () => {
  const controlPlane = await startControlPlane();
  const [{ kubeconfigPath } = { kubeconfigPath: '' }] = controlPlane.clusters;
  const { clusters, users } = Kubeconfig.parse(parse(await readFile(kubeconfigPath, 'utf8')));
  const { token } = users[0].user;
  const [client] = await loadClusters({ kubeconfigs: [kubeconfigPath], fieldManager: 'e2e' });
  const stop = async () => {
    await client?.close();
    await controlPlane.stop();
  };
  if (client !== undefined && token !== undefined) {
    return { client, server: { url: clusters[0].cluster.server, token }, stop };
  }
  await stop();
  return undefined;
});
