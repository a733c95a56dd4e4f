import { startSimulatedFleet } from '#testing/cluster/simulated-fleet';
import { kubectlContract } from '../contract/kubectl.contract.js';

kubectlContract('a simulated cluster', async () => {
  const fleet = await startSimulatedFleet({ clusters: ['harbour'] });
  return { kubeconfig: fleet.kubeconfig(), stop: () => fleet.stop() };
});
