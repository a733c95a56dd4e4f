import { directClient } from '#testing/cluster/direct-client';
import { startSimulatedFleet } from '#testing/cluster/simulated-fleet';
import type { PlayedServer } from './rollouts.fixture.js';

/** Simulated API servers that a command reaches over HTTPS, with its kubeconfig. */
export type ServedClusters = Readonly<{
  kubeconfig: string;
  open: (name: string) => PlayedServer;
  stop: () => Promise<void>;
}>;

export async function serveClusters(clusters: readonly string[]): Promise<ServedClusters> {
  const simulated = await startSimulatedFleet({ clusters });
  const open = (name: string): PlayedServer => {
    const cluster = simulated.cluster(name);
    const { client } = directClient(cluster, 'flotilla-applier');
    return { cluster, client, stop: () => client.close() };
  };
  return { kubeconfig: simulated.kubeconfig(), open, stop: () => simulated.stop() };
}
