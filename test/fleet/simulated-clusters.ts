import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type SimulatedFleet, startSimulatedFleet } from '#testing/cluster/simulated-fleet';

export type Endings = (() => Promise<unknown>)[];

/**
 * Starts simulated clusters, and writes their kubeconfig. `endings` get the functions that end and remove
 * them.
 */
export async function startSimulatedClusters(
  names: readonly string[],
  endings: Endings,
  more: Omit<Parameters<typeof startSimulatedFleet>[0], 'clusters'> = { deploymentReadyAfterMs: 200 },
): Promise<Readonly<{ simulated: SimulatedFleet; kubeconfig: string }>> {
  const folder = await mkdtemp(join(tmpdir(), 'flotilla-clusters-'));
  endings.push(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  const simulated = await startSimulatedFleet({ ...more, clusters: [...names] });
  endings.push(() => simulated.stop());
  const kubeconfig = join(folder, 'kubeconfig');
  await writeFile(kubeconfig, simulated.kubeconfig(), { mode: 0o600 });
  return { simulated, kubeconfig };
}
