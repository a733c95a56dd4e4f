import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type SimulatedFleet, startSimulatedFleet } from '#testing/cluster/simulated-fleet';
import type { Stage } from '../../apps/cli/src/demo/demo-stage.js';
import { playStory } from '../story/play-story.js';
import { setQuickStage } from '../story/quick-stage.js';

const RESYNC_MS = 1_500;
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

describe('a fleet at rest', () => {
  let folder: string;
  let fleet: SimulatedFleet;
  let stage: Stage | undefined;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'flotilla-rest-'));
    fleet = await startSimulatedFleet({ clusters: ['east', 'west'], deploymentReadyAfterMs: 200 });
    const kubeconfig = join(folder, 'kubeconfig');
    await writeFile(kubeconfig, fleet.kubeconfig(), { mode: 0o600 });
    // No poll of the registry within the test: polling writes the time of the poll, as OLM does.
    stage = await setQuickStage({
      kubeconfigs: [kubeconfig],
      settings: { FLOTILLA_RESYNC_INTERVAL: `${RESYNC_MS}ms` },
    });
    await playStory(stage);
    for (const client of stage.clients) {
      const source = { apiVersion: 'operators.coreos.com/v1alpha1', kind: 'CatalogSource', name: 'flotilla-samples' };
      await client.patch({ ...source, namespace: 'olm' }, { spec: { updateStrategy: null } });
    }
    await pause(RESYNC_MS);
  });
  afterAll(async () => {
    await stage?.strike();
    await fleet.stop();
    await rm(folder, { recursive: true, force: true });
  });

  it.each(['east', 'west'])('is looked at again on %s and nothing is written', async (name) => {
    const { requests } = fleet.cluster(name);
    requests.clear();
    await pause(3 * RESYNC_MS);
    const writes = requests.writes().map(({ method, path }) => `${method} ${path}`);
    expect(writes).toEqual([]);
    const looks = requests.filter(({ path }) => path.endsWith('/namespaces/harbors/subscriptions')).length;
    expect(looks, 'the resync did look').toBeGreaterThan(0);
    // One look at a namespace with two operators: lists and a few single objects, each once.
    expect(requests.length / looks).toBeLessThan(40);
  });
});
