import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type SimulatedFleet, startSimulatedFleet } from '#testing/cluster/simulated-fleet';
import { PATIENCE } from '#testing/patience';
import { runFlotilla } from '../../../run-flotilla.fixture.js';

const FLEET_CLUSTER = { apiVersion: 'fleet.flotilla.dev/v1alpha1', kind: 'FleetCluster' };
const SECRET = { apiVersion: 'v1', kind: 'Secret', namespace: 'flotilla-system' };
let folder = '';
let simulated: SimulatedFleet;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'flotilla-join-'));
  simulated = await startSimulatedFleet({ clusters: ['east', 'hub'] });
  await writeFile(join(folder, 'kubeconfig'), simulated.kubeconfig(), { mode: 0o600 });
  vi.stubEnv('KUBECONFIG', join(folder, 'kubeconfig'));
  vi.stubEnv('FLOTILLA_KUBECONFIG', '');
  vi.stubEnv('FLOTILLA_FLEET', '');
  vi.stubEnv('FLOTILLA_CLUSTERS_FILE', join(folder, 'clusters.yaml'));
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await simulated.stop();
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
});

const add = (...args: readonly string[]) => runFlotilla(['clusters', 'add', '--context', 'east', ...args]);
const cluster = (name: string) => simulated.cluster('hub').get({ ...FLEET_CLUSTER, name });

describe('flotilla clusters, with the hub API of a fleet', () => {
  it('says what comes first where the hub has no fleet', async () => {
    const { err, exit } = await add('--fleet', 'hub');
    expect(err).toContain('hub does not serve FleetClusters: first run flotilla fleet init --context hub');
    expect(exit).toBe(2);
    expect((await runFlotilla(['fleet', 'init', '--context', 'hub'])).exit).toBe(0);
  });

  it('makes a FleetCluster and a Secret with the login', async () => {
    const dry = await add('--fleet', 'hub', '--label', 'tier=lab', '--dry-run');
    expect(dry.out).toBe('cluster east would be added to the fleet of hub (Secret flotilla-system/east)\n');
    expect(cluster('east')).toBeUndefined();
    const { out, exit } = await add('--fleet', 'hub', '--label', 'tier=lab');
    expect({ out, exit }).toEqual({
      out: 'cluster east added to the fleet of hub (Secret flotilla-system/east)\n',
      exit: 0,
    });
    expect(cluster('east')).toMatchObject({
      metadata: { labels: { tier: 'lab' } },
      spec: { access: { secretRef: { name: 'east' } } },
    });
    const secret = simulated.cluster('hub').get({ ...SECRET, name: 'east' }) as { data?: { kubeconfig: string } };
    const ownerReferences = [{ kind: 'FleetCluster', name: 'east', uid: cluster('east')?.metadata.uid }];
    expect(secret).toMatchObject({ type: 'fleet.flotilla.dev/kubeconfig', metadata: { ownerReferences } });
    const kubeconfig = JSON.parse(Buffer.from(secret.data?.kubeconfig ?? '', 'base64').toString()) as object;
    expect(kubeconfig).toMatchObject({ contexts: [{ name: 'east', context: { cluster: 'east', user: 'east' } }] });
  });

  it('leaves what is there, and replaces it with --update alone', async () => {
    vi.stubEnv('FLOTILLA_FLEET', 'context:hub');
    const again = await add();
    expect(again.out).toBe('cluster east exists already in the fleet of hub (Secret flotilla-system/east)\n');
    const other = await add('--label', 'tier=shop');
    expect([other.err, other.exit]).toEqual([expect.stringContaining('FleetCluster "east" exists already'), 2]);
    const updated = await add('--label', 'tier=shop', '--update');
    expect(updated.out).toBe('cluster east updated in the fleet of hub (Secret flotilla-system/east)\n');
    expect(cluster('east')?.metadata.labels).toEqual({ tier: 'shop' });
    vi.stubEnv('FLOTILLA_FLEET', '');
  });

  it('refuses a login that the hub would refuse', async () => {
    const { contexts, clusters, ...rest } = JSON.parse(
      JSON.stringify(await import('js-yaml').then(({ load }) => load(simulated.kubeconfig()))),
    ) as Record<string, { name: string }[]>;
    const users = (rest['users'] ?? []).map(({ name }) => ({ name, user: { exec: { command: 'login' } } }));
    const file = join(folder, 'exec');
    await writeFile(file, JSON.stringify({ ...rest, contexts, clusters, users }), { mode: 0o600 });
    const { err, exit } = await add('--kubeconfig', file, '--name', 'west', '--fleet', 'hub', '--no-check');
    expect(err).toContain('cluster "west" cannot join by a Secret: ');
    expect(err).toContain('its user has exec, and the hub must not run a program of a Secret');
    expect(exit).toBe(2);
    expect(cluster('west')).toBeUndefined();
  });

  it('is not for a fleet in files', async () => {
    const says =
      /^error: --fleet fleet\/: to add or remove clusters of a fleet in files, edit the files of FleetClusters/;
    const answers = [
      await add('--fleet', 'fleet/'),
      await runFlotilla(['clusters', 'remove', 'east', '--fleet', 'fleet/']),
    ];
    for (const { err, exit } of answers) expect([err, exit]).toEqual([expect.stringMatching(says), 2]);
  });

  it('takes labels for the clusters of a fleet alone', async () => {
    const { err, exit } = await add('--label', 'tier=lab');
    expect([err, exit]).toEqual([expect.stringContaining('--label is only for clusters of a fleet'), 2]);
  });

  it('shows what clusters remove would do, and takes the FleetCluster and its Secret out', async () => {
    const remove = (...args: readonly string[]) => runFlotilla(['clusters', 'remove', 'east', ...args]);
    const dry = await remove('--fleet', 'hub');
    expect(dry.out).toContain('no object of east carries a finalizer of the hub');
    expect(dry.err).toBe(
      'Nothing was changed. To remove the cluster: flotilla clusters remove east --yes --fleet hub\n',
    );
    expect(cluster('east')).toBeDefined();
    vi.stubEnv('FLOTILLA_FLEET', 'context:hub');
    const { out, exit } = await remove('--yes');
    expect([out, exit]).toEqual(['cluster east removed from the fleet of hub; its operators do not change\n', 0]);
    expect(cluster('east')).toBeUndefined();
    await expect.poll(() => simulated.cluster('hub').get({ ...SECRET, name: 'east' }), PATIENCE).toBeUndefined();
    vi.stubEnv('FLOTILLA_FLEET', '');
    const again = await remove('--fleet', 'hub');
    expect([again.err, again.exit]).toEqual([expect.stringContaining('the fleet of hub has no cluster "east"'), 2]);
  });

  it('says what a removal waits for, which --force gives up on', async () => {
    expect((await add('--fleet', 'hub')).exit).toBe(0);
    const hub = simulated.cluster('hub');
    const finalizers = ['fleet.flotilla.dev/release'];
    hub.edit({ ...FLEET_CLUSTER, name: 'east' }, ({ metadata }) => Object.assign(metadata, { finalizers }));
    const remove = ['clusters', 'remove', 'east', '--fleet', 'hub', '--yes', '--timeout', '1s', '--force'];
    const { err, exit } = await runFlotilla(remove);
    expect([err, exit]).toEqual([expect.stringContaining('no applier of the hub has released it'), 1]);
    expect(cluster('east')?.metadata).toMatchObject({
      annotations: { 'fleet.flotilla.dev/force-removal': 'true' },
      deletionTimestamp: expect.any(String),
    });
  });
});
