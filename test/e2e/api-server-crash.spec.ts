import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ClusterServiceVersion } from '#core/kernel/api/cluster-service-version';
import { loadClusters } from '#platform/kube/access/load-clusters';
import { type ControlPlane, startControlPlane } from '#testing/control-plane/find-control-plane';
import { LONG_PATIENCE_MS, pause } from '#testing/patience';
import { type InMemoryRegistry, startRegistry } from '#testing/registry/in-memory-registry';
import type { ServicesEnvironment } from '../../apps/cli/src/commands/demo/environment/demo-environment.js';
import { SAMPLE_NAMESPACE, type ScenarioStep } from '../../apps/cli/src/commands/demo/scenario.js';
import { cleanCluster } from '../story/clean-clusters.js';
import type { Dump } from '../story/normalised-dump.js';
import { playStory } from '../story/play-story.js';
import { startQuickEnvironment } from '../story/quick-environment.js';

/** When plans have been seen: of the install, and of the first hop of the upgrade. */
const IN_THE_MIDDLE: readonly ScenarioStep[] = ['first-plan', 'first-hop'];
const AWAY_MS = 500;
/** An API server takes its time to start. */
const CSV = { apiVersion: 'operators.coreos.com/v1alpha1', kind: 'ClusterServiceVersion' } as const;

describe('an API server that is killed and comes back with its data', () => {
  let plane: ControlPlane;
  let registry: InMemoryRegistry;
  let undisturbed: Dump;

  beforeAll(async () => {
    plane = await startControlPlane({ clusters: 1, ownProcesses: true });
    registry = await startRegistry();
    undisturbed = (await play()).dump;
  });
  afterAll(async () => {
    await registry?.stop();
    await plane?.stop();
  });

  /** `struckAt`: states of the CSVs at the time of the kill. */
  async function play(afterMs?: number): Promise<Readonly<{ dump: Dump; killedAt: readonly string[] }>> {
    const [cluster] = plane.clusters;
    const { crashApiServer } = plane;
    if (cluster === undefined || crashApiServer === undefined) throw new Error('the API server cannot be crashed');
    const kubeconfigs = [cluster.kubeconfigPath];
    const environment = await startQuickEnvironment({ kubeconfigs, registry });
    const killedAt: string[] = [];
    try {
      const onStep = async (scenarioStep: ScenarioStep) => {
        if (afterMs === undefined || !IN_THE_MIDDLE.includes(scenarioStep)) return;
        await pause(afterMs);
        killedAt.push(await summary(environment));
        await crashApiServer(cluster.name, AWAY_MS);
      };
      const { dumps } = await playStory(environment, { onStep, patienceMs: LONG_PATIENCE_MS });
      return { dump: dumps[environment.clients[0]?.cluster ?? ''] ?? {}, killedAt };
    } finally {
      await environment.stop();
      await clean(kubeconfigs);
    }
  }

  it.each([0, 300])('%i ms after a plan was made: install and upgrade end as if nothing had been', async (afterMs) => {
    const { dump, killedAt } = await play(afterMs);
    console.log(`${afterMs} ms after the plan: ${killedAt.map((one) => `[${one}]`).join(' and ')}`);
    expect(killedAt).toHaveLength(IN_THE_MIDDLE.length);
    expect(Object.keys(undisturbed).length, 'there is something to compare').toBeGreaterThan(10);
    // The names first: a difference of whole objects is printed in part only.
    expect(Object.keys(dump)).toEqual(Object.keys(undisturbed));
    expect(dump).toEqual(undisturbed);
  });
});

async function summary({ clients }: ServicesEnvironment): Promise<string> {
  const found = await clients[0]?.list<ClusterServiceVersion>(CSV, { namespace: SAMPLE_NAMESPACE });
  return (found?.items ?? []).map(({ metadata, status }) => `${metadata.name} ${status?.phase ?? 'new'}`).join(', ');
}

async function clean(kubeconfigs: readonly string[]): Promise<void> {
  const clients = await loadClusters({ kubeconfigs, fieldManager: 'e2e' });
  try {
    await Promise.all(clients.map(cleanCluster));
  } finally {
    await Promise.all(clients.map((client) => client.close()));
  }
}
