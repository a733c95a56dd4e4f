import { startSimulatedFleet } from '#testing/cluster/simulated-fleet';
import { startControlPlane } from '#testing/control-plane/find-control-plane';

/** A cluster of one test file. */
export type AdviceCluster = Readonly<{
  /** With administrator's rights. */
  kubeconfig: string;
  stop: () => Promise<void>;
}>;

export async function simulatedCluster(): Promise<AdviceCluster> {
  const fleet = await startSimulatedFleet({ clusters: ['east'], deploymentReadyAfterMs: 200 });
  return { kubeconfig: fleet.kubeconfig(), stop: () => fleet.stop() };
}

export async function realCluster(): Promise<AdviceCluster> {
  const plane = await startControlPlane({ clusters: 1 });
  return { kubeconfig: plane.clusters[0]?.kubeconfig ?? '', stop: () => plane.stop() };
}
