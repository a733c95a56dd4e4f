import { startSimulatedFleet } from '#testing/cluster/simulated-fleet';
import { clusterBehindProxy } from '../contract/contract-cluster.js';
import { kubeClientContract } from '../contract/kube-client.contract.js';

kubeClientContract('a simulated cluster', async () => {
  const fleet = await startSimulatedFleet({ clusters: ['harbour'] });
  const cluster = await clusterBehindProxy(fleet.kubeconfig());
  return {
    ...cluster,
    expire: () => fleet.cluster('harbour').expireWatches(),
    stop: async () => {
      await cluster.stop();
      await fleet.stop();
    },
  };
});
