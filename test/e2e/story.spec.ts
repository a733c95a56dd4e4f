import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { loadClusters } from '#platform/kube/access/load-clusters';
import { type ControlPlane, startControlPlane } from '#testing/control-plane/find-control-plane';
import { cleanCluster } from '../story/clean-clusters.js';
import { type RunningRegistry, startRealRegistry } from '../story/distribution-registry.js';
import {
  type Disturbances,
  describeDisturbances,
  everyFaultAtEveryStep,
  type LeftBehind,
  playDisturbed,
} from '../story/disturbed-story.js';

describe('the story on two real clusters', () => {
  let controlPlane: ControlPlane | undefined;
  let registry: RunningRegistry | undefined;
  let undisturbed: LeftBehind;

  beforeAll(async () => {
    controlPlane = await startControlPlane({ clusters: 2 });
    registry = await startRealRegistry();
    console.log(`images in ${registry.how}`);
    await clean();
    // A service that the machine holds up keeps its job: no problem is solved twice for that.
    undisturbed = await play({}, { FLOTILLA_JOB_LOCK_DURATION: '60s', FLOTILLA_SHARD_LEASE: '60s' });
  });
  beforeEach(() => clean());
  afterAll(async () => {
    await clean();
    await registry?.stop();
    await controlPlane?.stop();
  });

  const kubeconfigs = () => (controlPlane?.clusters ?? []).map(({ kubeconfigPath }) => kubeconfigPath);

  function play(disturbances: Disturbances, settings: Record<string, string> = {}): Promise<LeftBehind> {
    if (registry === undefined) throw new Error('there is no registry');
    const environment = { kubeconfigs: kubeconfigs(), settings };
    return playDisturbed({ disturbances, registry, catalogImage: 'stories/catalog:latest', environment });
  }

  async function clean(): Promise<void> {
    const clients = await loadClusters({ kubeconfigs: kubeconfigs(), fieldManager: 'e2e' });
    try {
      await Promise.all(clients.map(cleanCluster));
    } finally {
      await Promise.all(clients.map((client) => client.close()));
    }
  }

  it('solves each distinct problem once, whichever cluster asked it first', () => {
    const { solved } = undisturbed;
    expect(solved.length).toBeGreaterThan(0);
    expect(solved.toSorted()).toEqual([...new Set(solved)].toSorted());
  });

  const rows = everyFaultAtEveryStep.map((row) => ({ disturbances: row, name: describeDisturbances(row) }));
  it.each(rows)('ends the same though $name', async ({ disturbances }) => {
    expect((await play(disturbances)).dumps).toEqual(undisturbed.dumps);
  });
});
