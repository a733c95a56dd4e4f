import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadAll } from 'js-yaml';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { loadClusters } from '#platform/kube/access/load-clusters';
import { serveKnownCrds } from '#testing/cluster/served-crds';
import { type SimulatedFleet, startSimulatedFleet } from '#testing/cluster/simulated-fleet';
import { catalogSource, put, subscription } from '../../../clusters/live-objects.fixture.js';
import { runFlotilla } from '../../../run-flotilla.fixture.js';
import { NEW, OLD, offerAll, type PlayedHub, startPlayedHub } from '../played-hub.fixture.js';

describe('flotilla fleet export --from-clusters', () => {
  let folder = '';
  let simulated: SimulatedFleet;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'flotilla-export-'));
    simulated = await startSimulatedFleet({ clusters: ['east', 'west'] });
    const kubeconfig = join(folder, 'kubeconfig');
    await writeFile(kubeconfig, simulated.kubeconfig(), { mode: 0o600 });
    vi.stubEnv('FLOTILLA_KUBECONFIG', kubeconfig);
    vi.stubEnv('FLOTILLA_FLEET', '');
    const clients = await loadClusters({ kubeconfigs: [kubeconfig], fieldManager: 'test' });
    await Promise.all(clients.map((client) => serveKnownCrds(client, simulated.cluster(client.cluster))));
    await Promise.all(clients.map((client) => client.close()));
    for (const name of ['east', 'west']) {
      const cluster = simulated.cluster(name);
      for (const namespace of ['olm', 'team']) {
        cluster.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
      }
      for (const object of [catalogSource(), subscription()]) put(cluster, object);
    }
  });
  afterAll(async () => {
    vi.unstubAllEnvs();
    await simulated.stop();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  });

  it('writes a fleet that fleet plan -f takes, and never over another one', async () => {
    const out = join(folder, 'fleet');
    const { err, exit, ...answer } = await runFlotilla(['fleet', 'export', '--from-clusters', '--out', out]);
    expect(exit).toBe(0);
    expect(answer.out.trimEnd().split('\n')).toEqual(
      ['clusters', 'catalogs', 'operators', 'strategies'].map((name) => join(out, `${name}.yaml`)),
    );
    expect(err).toBe(
      `2 clusters, 1 catalog, 1 operator and a strategy to edit.\n  → flotilla fleet plan -f ${out}   (its effect)\n`,
    );
    const clusters = loadAll(await readFile(join(out, 'clusters.yaml'), 'utf8'));
    expect(clusters).toMatchObject([
      { kind: 'FleetCluster', metadata: { name: 'east' }, spec: { access: { context: 'east' } } },
      { kind: 'FleetCluster', metadata: { name: 'west' } },
    ]);
    const plan = await runFlotilla(['fleet', 'plan', '-f', out]);
    expect(plan.exit).toBe(0);
    expect(plan.out).toMatch(
      /^fleet\/\S+: 2 clusters, 2 without a plan yet\nConfigChange in each cluster that has its Subscription: /,
    );
    const again = await runFlotilla(['fleet', 'export', '--from-clusters', '--out', out]);
    expect(again).toMatchObject({ exit: 2, err: expect.stringContaining('the folder is not empty') });
  });

  it('writes to standard output without --out', async () => {
    const { out } = await runFlotilla(['fleet', 'export', '--from-clusters', '-C', 'east', '-n', 'platform']);
    const objects = loadAll(out) as { kind: string; metadata: { namespace?: string } }[];
    expect(objects.map(({ kind }) => kind)).toEqual(['FleetCluster', 'FleetCatalog', 'FleetOperator', 'FleetStrategy']);
    expect(objects[2]?.metadata.namespace).toBe('platform');
  });
});

describe('flotilla fleet export of a hub', () => {
  let hub: PlayedHub;
  beforeAll(async () => {
    hub = await startPlayedHub(['lab-1', 'shop-1'], {
      approval: { rules: [{ changes: ['Minor'], action: 'Manual' }] },
    });
    await offerAll(hub);
    await hub.decide('approve', 'kafka-1', '--all-classes', '--reason', 'CHG-1182');
  });
  afterAll(() => hub.stop());

  it('has what people wrote, without what the hub keeps', async () => {
    const { out, exit } = await hub.flotilla('export');
    const objects = loadAll(out) as Record<string, unknown>[];
    expect(exit).toBe(0);
    expect(objects.map(({ kind }) => kind)).toEqual(['FleetCluster', 'FleetCluster', 'FleetOperator', 'FleetStrategy']);
    for (const object of objects) expect(Object.keys(object)).toEqual(['apiVersion', 'kind', 'metadata', 'spec']);
    expect(JSON.stringify(objects)).not.toMatch(/resourceVersion|managedFields|fleet\.flotilla\.dev\/(state|rows)/);
  });

  it('--audit names who decided what, when, and why', async () => {
    const { out } = await hub.flotilla('export', '--audit');
    const lines = out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(lines.map(({ type }) => type)).toEqual(['FleetRollout', 'FleetPlan', 'FleetDecision']);
    expect(lines[1]).toMatchObject({ path: [{ from: OLD, to: NEW }], changes: ['Minor'] });
    expect(lines[2]).toMatchObject({
      rollout: 'kafka-1',
      action: 'Approve',
      reason: 'CHG-1182',
      by: { user: 'admin' },
      effective: true,
    });
    expect((await hub.flotilla('export', '--audit', '--out', 'x')).exit).toBe(2);
  });
});
