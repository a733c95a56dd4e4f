import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { loadClusters } from '#platform/kube/access/load-clusters';
import { serveKnownCrds } from '#testing/cluster/served-crds';
import { type SimulatedFleet, startSimulatedFleet } from '#testing/cluster/simulated-fleet';
import { catalogSource, installPlan, operatorGroup, put, subscription } from '../clusters/live-objects.fixture.js';
import { type FakeHub, startWatchingHub } from '../hub/fake-hub.fixture.js';
import { runFlotilla } from '../run-flotilla.fixture.js';

let folder = '';
let fleet: SimulatedFleet;
let hub: FakeHub;
let hubClusters: readonly string[] = [];

/** `team` has plans in both clusters; `a`, `b` and `c` of east have no OperatorGroup. */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'flotilla-fleet-'));
  fleet = await startSimulatedFleet({ clusters: ['east', 'west'] });
  await writeFile(join(folder, 'kubeconfig'), fleet.kubeconfig(), { mode: 0o600 });
  const clients = await loadClusters({ kubeconfigs: [join(folder, 'kubeconfig')], fieldManager: 'test' });
  await Promise.all(clients.map((client) => serveKnownCrds(client, fleet.cluster(client.cluster))));
  await Promise.all(clients.map((client) => client.close()));
  for (const name of ['east', 'west']) {
    const cluster = fleet.cluster(name);
    for (const namespace of ['olm', 'team', 'a', 'b', 'c']) {
      cluster.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
    }
    const status = { installPlanRef: { name: 'install-sub' }, currentCSV: 'mill.v1.1.0', state: 'UpgradePending' };
    for (const object of [catalogSource(), operatorGroup(), subscription({ status })]) put(cluster, object);
    for (const plan of ['install-both', 'install-sub']) put(cluster, installPlan(plan, false, 'RequiresApproval'));
  }
  put(fleet.cluster('east'), installPlan('install-east', false, 'RequiresApproval'));
  for (const namespace of ['a', 'b', 'c']) put(fleet.cluster('east'), subscription({ namespace }));
  hub = await startWatchingHub(() => hubClusters);
});
afterAll(async () => {
  await hub.stop();
  await fleet.stop();
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
});
beforeEach(() => {
  vi.stubEnv('FLOTILLA_KUBECONFIG', join(folder, 'kubeconfig'));
  vi.stubEnv('FLOTILLA_CATALOG_POLLER_PORT', new URL(hub.url).port);
  vi.stubEnv('FLOTILLA_RESOLVER_WORKER_PORT', '0');
  vi.stubEnv('FLOTILLA_APPLIER_PORT', '0');
  return () => vi.unstubAllEnvs();
});

const flotilla = (...args: string[]) => runFlotilla(args);
const isApproved = (cluster: string, name: string) =>
  fleet
    .cluster(cluster)
    .get({ apiVersion: 'operators.coreos.com/v1alpha1', kind: 'InstallPlan', name, namespace: 'team' })?.['spec'];

describe('flotilla approve, in several clusters', () => {
  it('shows with --dry-run what each would install, and approves in the clusters that are named', async () => {
    const plan = ['approve', 'ip/install-both', '-n', 'team', '-C', 'east', '-C', 'west'];
    const dry = await flotilla(...plan, '--dry-run');
    expect(dry.out.match(/would be approved\n {2}installs|would be approved\n {2}\w+ mill/g)).toHaveLength(2);
    expect(isApproved('east', 'install-both')).toMatchObject({ approved: false });
    const { out, exit } = await flotilla(...plan);
    expect(out).toMatch(/of east is approved\n.*mill.v1.1.0.*\n.*of west is approved\n/);
    expect(exit).toBe(0);
    expect([isApproved('east', 'install-both'), isApproved('west', 'install-both')]).toMatchObject([
      { approved: true },
      { approved: true },
    ]);
  });

  it('takes the plan that a Subscription waits for, in all clusters', async () => {
    const { out, exit } = await flotilla(
      'approve',
      'subscription',
      'mill',
      '-n',
      'team',
      '--all-clusters',
      '-o',
      'json',
    );
    expect(exit).toBe(0);
    expect(JSON.parse(out)).toMatchObject({
      verdict: 'yes',
      items: [
        { cluster: 'east', kind: 'Subscription', name: 'mill', installPlan: 'install-sub', result: 'approved' },
        { cluster: 'west', kind: 'Subscription', name: 'mill', installPlan: 'install-sub', result: 'approved' },
      ],
    });
    expect(isApproved('west', 'install-sub')).toMatchObject({ approved: true });
  });

  it('with --all-clusters it is no failure that a cluster does not have the plan; with -C it is', async () => {
    const plan = ['approve', 'ip', 'install-east', '-n', 'team', '--dry-run'];
    expect(await flotilla(...plan, '--all-clusters')).toMatchObject({ exit: 0 });
    const named = await flotilla(...plan, '-C', 'east', '-C', 'west');
    expect(named).toMatchObject({ exit: 1, err: expect.stringMatching(/no InstallPlan install-east .* of west/) });
  });
});

describe('flotilla status', () => {
  it('prints objects with the same cause as one entry, and each on its own with --all', async () => {
    const { out } = await flotilla('status');
    expect(out).toMatch(
      /east {2}Namespace a\n.*namespace a.* It blocks Subscription mill\.\n.*\n {4}the same: 2 more \(east b, east c\)\n/,
    );
    const all = await flotilla('status', '--all');
    expect(all.out).not.toMatch(/the same/);
    expect(all.out.match(/Namespace [abc]$/gm)).toEqual(['Namespace a', 'Namespace b', 'Namespace c']);
  });

  it('shows one namespace', async () => {
    const { out } = await flotilla('status', '-n', 'b', '-o', 'json');
    const { waiting, clusters } = JSON.parse(out) as { waiting: object[]; clusters: object[] };
    expect(waiting).toMatchObject([{ cluster: 'east', kind: 'Namespace', namespace: 'b', name: 'b' }]);
    expect(clusters).toMatchObject([
      { cluster: 'east', subscriptions: { of: 1 }, catalogs: { well: 1, of: 1 } },
      { cluster: 'west', subscriptions: { of: 0 } },
    ]);
    expect((await flotilla('status', '-n', 'olm')).out).toMatch(
      /Nothing waits in namespace olm: all requested operators/,
    );
  });

  it('says nothing of the cluster that does not answer', async () => {
    const away = join(folder, 'away');
    const text = await readFile(join(folder, 'kubeconfig'), 'utf8');
    await writeFile(away, text.replaceAll(/https:\/\/127[^ \n]+west/g, 'https://127.0.0.1:1'));
    const { out, exit } = await flotilla('status', '-n', 'olm', '--kubeconfig', away);
    expect(out).toContain(
      'Nothing waits in namespace olm in the one cluster that answered; of the other nothing is known.',
    );
    expect(exit).toBe(3);
  });

  it.each([
    {
      clusters: ['other'],
      says: /^HUB not shown: http:\S+: it manages other clusters: other \(name another hub/,
      because: 'another',
    },
    { clusters: ['other', 'west'], says: /^HUB http:\S+ ready/, because: 'its own' },
  ])('a hub on this machine: $because', async ({ clusters, says }) => {
    hubClusters = clusters;
    expect((await flotilla('status')).out).toMatch(says);
  });
});

describe('flotilla get', () => {
  it.each([
    { args: ['sub,ip', '-C', 'east', '-n', 'team'], names: ['subscription', 'mill', 'installplan', 'install-east'] },
    { args: ['sub/mill', 'ip/install-east', '-C', 'east', '-n', 'team'], names: ['mill', 'install-east'] },
  ])('several kinds: $args', async ({ args, names }) => {
    const { out, exit } = await flotilla('get', ...args, '-o', 'name');
    for (const name of names) expect(out).toContain(name);
    expect(exit).toBe(0);
  });

  it('sorts, and leaves headings out', async () => {
    const { out } = await flotilla('get', 'sub', '-C', 'east', '--sort-by=.metadata.namespace', '--no-headers');
    expect(out.split('\n').map((line) => line.split(/ +/)[1])).toEqual(['a', 'b', 'c', 'team', undefined]);
  });

  it('prints parts of the list', async () => {
    const path = '{range .items[*]}{.metadata.namespace}={.spec.name}{"\\n"}{end}';
    const { out } = await flotilla('get', 'sub', '-C', 'east', '-o', `jsonpath=${path}`);
    expect(out).toBe('a=mill\nb=mill\nc=mill\nteam=mill\n');
  });

  it.each([
    { args: ['get', 'subscripton'], says: 'did you mean "subscription"?' },
    { args: ['explain', 'subscripion', 'x', '-n', 'team'], says: 'did you mean "subscription"?' },
    { args: ['get', 'sub', '-C', 'eest'], says: 'did you mean "east"' },
    { args: ['get', 'sub', '-C', 'west', '--context', 'east'], says: 'among those that --context takes' },
  ])('$args: $says', async ({ args, says }) => {
    expect(await flotilla(...args)).toMatchObject({ exit: 2, err: expect.stringContaining(says) });
  });
});
