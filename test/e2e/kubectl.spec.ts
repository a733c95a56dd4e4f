import { startSimulatedFleet } from '#testing/cluster/simulated-fleet';
import { startControlPlane } from '#testing/control-plane/find-control-plane';
import { kubectlContract } from '../contract/kubectl.contract.js';

kubectlContract('a real API server', async () => {
  const controlPlane = await startControlPlane();
  return { kubeconfig: controlPlane.clusters[0]?.kubeconfig ?? '', stop: () => controlPlane.stop() };
});

kubectlContract('a simulated cluster', async () => {
  const fleet = await startSimulatedFleet({ clusters: ['harbour'] });
  return { kubeconfig: fleet.kubeconfig(), stop: () => fleet.stop() };
});
