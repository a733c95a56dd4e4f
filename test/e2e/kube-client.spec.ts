import { startControlPlane } from '#testing/control-plane/find-control-plane';
import { clusterBehindProxy } from '../contract/contract-cluster.js';
import { kubeClientContract } from '../contract/kube-client.contract.js';

kubeClientContract('a real API server', async () => {
  const controlPlane = await startControlPlane();
  const cluster = await clusterBehindProxy(controlPlane.clusters[0]?.kubeconfig ?? '');
  return {
    ...cluster,
    stop: async () => {
      await cluster.stop();
      await controlPlane.stop();
    },
  };
});
