import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { CSV_API, CSV_CLEANUP_FINALIZER } from '#core/kernel/api/cluster-service-version';
import { loadClusters } from '#platform/kube/access/load-clusters';
import { issueToken } from '#testing/cluster/issue-token';
import { serveKnownCrds } from '#testing/cluster/served-crds';
import { type SimulatedFleet, startSimulatedFleet } from '#testing/cluster/simulated-fleet';
import { PATIENCE } from '#testing/patience';
import { catalogSource, csv, installPlan, operatorGroup, put, subscription } from '../clusters/live-objects.fixture.js';
import { type FakeHub, startWatchingHub } from '../hub/fake-hub.fixture.js';
import { runFlotilla } from '../run-flotilla.fixture.js';

const UPGRADING = {
  status: { installedCSV: 'mill.v1.0.0', currentCSV: 'mill.v1.1.0', state: 'UpgradePending' },
};

let folder = '';
let hub: FakeHub;
let hubClusters: readonly string[] = [];
let kubeconfig = '';
let fleet: SimulatedFleet;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'flotilla-live-'));
  kubeconfig = join(folder, 'kubeconfig');
  fleet = await startSimulatedFleet({ clusters: ['east', 'west', 'bare'] });
  await writeFile(kubeconfig, fleet.kubeconfig(), { mode: 0o600 });
  const clients = await loadClusters({ kubeconfigs: [kubeconfig], contexts: ['east', 'west'], fieldManager: 'test' });
  await Promise.all(clients.map((client) => serveKnownCrds(client, fleet.cluster(client.cluster))));
  await Promise.all(clients.map((client) => client.close()));
  for (const name of ['east', 'west']) {
    for (const namespace of ['olm', 'team']) {
      fleet.cluster(name).create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
    }
    for (const object of [catalogSource(), operatorGroup(), subscription(name === 'east' ? UPGRADING : {})]) {
      put(fleet.cluster(name), object);
    }
  }
  put(fleet.cluster('east'), csv('mill.v1.0.0', 'Succeeded'));
  put(fleet.cluster('east'), installPlan('install-old', true, 'Complete'));
});
beforeAll(async () => {
  hub = await startWatchingHub(() => hubClusters);
});
afterAll(async () => {
  await hub.stop();
  await fleet.stop();
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
});
beforeEach(() => {
  vi.stubEnv('FLOTILLA_KUBECONFIG', kubeconfig);
  vi.stubEnv('FLOTILLA_CLUSTERS_FILE', join(folder, 'hub', 'clusters.yaml'));
  return () => vi.unstubAllEnvs();
});

const flotilla = (...args: string[]) => runFlotilla(args);
/** A hub that puts the finalizer of a CSV back when it is released. */
async function putBackOnce(name: string): Promise<void> {
  const ref = { ...CSV_API, name, namespace: 'team' };
  const live = () => fleet.cluster('east').get(ref);
  await vi.waitFor(() => expect(live()?.metadata.finalizers ?? []).toEqual([]), PATIENCE);
  fleet.cluster('east').edit(ref, (object) => {
    object.metadata.finalizers = [CSV_CLEANUP_FINALIZER];
  });
}
const lines = (text: string) =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => line.trimEnd().split(/ {2,}/));

describe('flotilla get', () => {
  it('lists all clusters in one table, with the columns of the kind', async () => {
    const { out, exit } = await flotilla('get', 'sub');
    expect(lines(out)).toEqual([
      ['CLUSTER', 'NAMESPACE', 'NAME', 'PACKAGE', 'SOURCE', 'CHANNEL', 'INSTALLED', 'STATE'],
      ['east', 'team', 'mill', 'mill', 'samples', 'stable', 'mill.v1.0.0', 'UpgradePending'],
      ['west', 'team', 'mill', 'mill', 'samples', 'stable'],
    ]);
    expect(exit).toBe(0);
  });

  it.each([
    { args: ['csvs', '-o', 'name'], out: 'east/team/clusterserviceversion.operators.coreos.com/mill.v1.0.0\n' },
    {
      args: ['ip', '-C', 'east', '-n', 'team', '-o', 'name'],
      out: 'east/team/installplan.operators.coreos.com/install-old\n',
    },
    { args: ['sub', 'mill', '-C', 'west', '-o', 'name'], out: 'west/team/subscription.operators.coreos.com/mill\n' },
    { args: ['sub', '-l', 'tier=gold', '-o', 'name'], out: '' },
    {
      args: ['west/team/subscription.operators.coreos.com/mill', '-o', 'name'],
      out: 'west/team/subscription.operators.coreos.com/mill\n',
    },
    {
      args: ['subscriptions.v1alpha1.operators.coreos.com', '-C', 'west', '-o', 'name'],
      out: 'west/team/subscription.operators.coreos.com/mill\n',
    },
    {
      args: ['sub', '-C', 'west', '-L', 'team,example.com/tier', '--show-labels'],
      out: expect.stringMatching(/STATE {2}TEAM {2}TIER {2}LABELS\nwest .*stable +<none>\n$/),
    },
    {
      args: ['csv,catalogs', '--field-selector', 'metadata.namespace=team,metadata.name!=x', '-o', 'name'],
      out: 'east/team/clusterserviceversion.operators.coreos.com/mill.v1.0.0\n',
    },
    { args: ['csv', '--field-selector', 'metadata.namespace!=team', '-o', 'name'], out: '' },
    {
      args: ['sub', 'mill', '-C', 'west', '-o', 'custom-columns=N:.metadata.name,P:.spec.name', '--no-headers'],
      out: expect.stringMatching(/^mill {2}\w+\n$/),
    },
  ])('$args', async ({ args, out }) => {
    expect(await flotilla('get', ...args)).toMatchObject({ out, exit: 0 });
  });

  it('as data every object carries its cluster', async () => {
    const { out } = await flotilla('get', 'catalogs', '-o', 'json');
    const { kind, items } = JSON.parse(out) as { kind: string; items: { kind: string; metadata: object }[] };
    expect(kind).toBe('List');
    expect(items.map((item) => [item.kind, item.metadata])).toMatchObject([
      ['CatalogSource', { annotations: { 'flotilla.dev/cluster': 'east' } }],
      ['CatalogSource', { annotations: { 'flotilla.dev/cluster': 'west' } }],
    ]);
  });

  it.each([
    {
      args: ['get', 'sub', 'ghost'],
      exit: 1,
      err: /no Subscription "ghost" in any namespace\n/,
      because: 'no such name',
    },
    {
      args: ['get', 'sub', 'mil'],
      exit: 1,
      err: /no Subscription "mil" in any namespace \(did you mean "mill"\?\)\n/,
      because: 'a mistyped name',
    },
    {
      args: ['get', 'sub', '-o', 'go-tempalte=x'],
      exit: 2,
      err: /expected \(table\|wide\|json\|yaml\|name\|jsonpath=TEMPLATE\|custom-columns=SPEC\)\n/,
      because: 'no such form',
    },
    ...['go-template={{.}}', 'go-template-file=x', 'template={{.}}', 'go-template'].map((form) => ({
      args: ['get', 'sub', '-o', form],
      exit: 2,
      err: /^error: templates of Go are not supported: use -o jsonpath=.* or -o custom-columns=NAME:\.metadata\.name\n/,
      because: `a form of kubectl that is not here: ${form}`,
    })),
    {
      args: ['get', 'sub', '--field-selector', 'status.state=x'],
      exit: 2,
      err: /^error: invalid --field-selector "status.state=x": API servers cannot select by status.state, only/,
      because: 'a field that no API server selects by',
    },
    {
      args: ['get', 'sub', '-o', 'json', '--show-labels'],
      exit: 2,
      err: /^error: --show-labels adds a column to tables, and -o json prints no table/,
      because: 'columns of data',
    },
    { args: ['get', 'sub', '-L', 'a b'], exit: 2, err: /^error: invalid --label-columns "a b"/, because: 'no label' },
    {
      args: ['get', 'sub', 'mill', '-l', 'tier=gold'],
      exit: 1,
      err: /^error: no Subscription "mill" in any namespace with this --selector\n/,
      because: 'a name that is not selected',
    },
    {
      args: ['get', 'sub', '--field-selector', 'metadata.name=ghost'],
      exit: 0,
      err: /^No Subscription found in any namespace with this --field-selector\.\n/,
      because: 'nothing is selected',
    },
    {
      args: ['get', 'south/team/sub/mill'],
      exit: 2,
      err: /no cluster "south"; there is east, west, bare/,
      because: 'a name of no cluster',
    },
    {
      args: ['get', 'east/team/sub/mill', '-C', 'west'],
      exit: 2,
      err: /-C excludes cluster "east"/,
      because: 'both',
    },
    {
      args: ['get', 'sub', '-n', 'empty'],
      exit: 0,
      err: /No Subscription found in namespace empty/,
      because: 'nothing there',
    },
    {
      args: ['get', 'pods'],
      exit: 2,
      err: /no kind "pods" here; name one of subscriptions, /,
      because: 'no such kind',
    },
    {
      args: ['get', 'sub', '-C', 'south'],
      exit: 2,
      err: /no cluster "south"; there is east, west, bare/,
      because: 'no such cluster',
    },
    { args: ['get', 'sub', '-A', '-n', 'x'], exit: 2, err: /-n and -A/, because: 'both at once' },
  ])('$because', async ({ args, exit, err }) => {
    const result = await flotilla(...args);
    expect(result.err).toMatch(err);
    expect(result).toMatchObject({ out: '', exit });
  });

  it('a cluster that does not answer is one line and exit code 3, unless it may be missing', async () => {
    const away = join(folder, 'away');
    await writeFile(
      away,
      (await readFile(kubeconfig, 'utf8')).replaceAll(/https:\/\/127[^ \n]+west/g, 'https://127.0.0.1:1'),
    );
    const some = await flotilla('get', 'sub', '--kubeconfig', away);
    expect(lines(some.out).map(([cluster]) => cluster)).toEqual(['CLUSTER', 'east']);
    expect(some.err).toMatch(/^west: .*\n$/);
    expect(some.exit).toBe(3);
    expect(await flotilla('get', 'sub', '--kubeconfig', away, '--allow-missing')).toMatchObject({ exit: 0 });
    const data = await flotilla('get', 'sub', '--kubeconfig', away, '-o', 'json');
    expect(JSON.parse(data.out)).toMatchObject({
      verdict: 'incomplete',
      away: [{ cluster: 'west', because: expect.stringMatching(/127\.0\.0\.1:1/) }],
      items: [{ metadata: { annotations: { 'flotilla.dev/cluster': 'east' } } }],
    });
    const all = await flotilla('get', 'sub', '--kubeconfig', away, '-C', 'west');
    expect(all).toMatchObject({ out: '', exit: 3 });
    const missing = ['--kubeconfig', away, '-C', 'west', '--allow-missing'];
    expect(await flotilla('get', 'sub', ...missing)).toMatchObject({ out: '', exit: 3 });
  });
});

describe('flotilla approve installplan', () => {
  it('approves what waits, once, and says what comes', async () => {
    put(fleet.cluster('east'), installPlan('install-new', false, 'RequiresApproval'));
    const dry = await flotilla('approve', 'ip', 'install-new', '-n', 'team', '-C', 'east', '--dry-run');
    expect(dry.out).toContain('would be approved');
    const { out, exit } = await flotilla('approve', 'installplan', 'install-new', '-n', 'team', '-C', 'east');
    expect(out).toBe(
      'InstallPlan install-new in namespace team of east is approved\n  upgrades mill.v1.0.0 to mill.v1.1.0 (1 object)\n',
    );
    expect(exit).toBe(0);
    const named = 'east/team/installplan.operators.coreos.com/install-new';
    const again = await flotilla('approve', named);
    expect(again).toMatchObject({ out: '', exit: 1, err: expect.stringMatching(/is already approved/) });
  });

  it('leaves what the fleet works to its rollouts, and says how the Subscription is taken back', async () => {
    const ref = { apiVersion: 'operators.coreos.com/v1alpha1', kind: 'Subscription', name: 'mill', namespace: 'team' };
    const mark = (annotations: Record<string, string>) =>
      fleet.cluster('east').edit(ref, (object) => {
        object.metadata.annotations = annotations;
      });
    put(fleet.cluster('east'), installPlan('install-fleet', false, 'RequiresApproval'));
    mark({ 'fleet.flotilla.dev/operator': 'fleets/mill' });
    const { out, err, exit } = await flotilla('approve', 'ip', 'install-fleet', '-n', 'team', '-C', 'east');
    expect({ out, exit }).toEqual({ out: '', exit: 1 });
    expect(err).toContain('is not approved: the plan is decided by rollouts of FleetOperator fleets/mill');
    expect(err).toContain('flotilla fleet status -n fleets');
    expect(err).toContain('kubectl -n team annotate subscription mill fleet.flotilla.dev/operator- ');
    mark({});
    expect(await flotilla('approve', 'ip', 'install-fleet', '-n', 'team', '-C', 'east')).toMatchObject({ exit: 0 });
  });

  it('approves nothing that changes in the same moment', async () => {
    put(fleet.cluster('east'), installPlan('install-hot', false, 'RequiresApproval'));
    fleet.cluster('east').failNext({ verb: 'patch', name: 'install-hot' }, 409, 'Conflict');
    const { out, err, exit } = await flotilla('approve', 'ip', 'install-hot', '-n', 'team', '-C', 'east');
    expect({ out, exit }).toEqual({ out: '', exit: 1 });
    expect(err).toMatch(/changed at the same time and is not approved/);
  });

  it.each([
    { args: ['ip', 'install-old', '-n', 'team', '-C', 'east'], exit: 1, err: /is complete/, because: 'it is done' },
    {
      args: ['ip', 'ghost', '-n', 'team', '-C', 'east'],
      exit: 1,
      err: /there is no InstallPlan ghost/,
      because: 'not there',
    },
    {
      args: ['ip', 'install-old', '-n', 'team'],
      exit: 2,
      err: /specify a cluster.*east, west, bare/,
      because: 'which cluster',
    },
    { args: ['ip', 'x', '-C', 'east'], exit: 2, err: /--namespace/, because: 'which namespace' },
    { args: ['csv', 'x', '-n', 'team'], exit: 2, err: /cannot be approved/, because: 'another kind' },
  ])('refuses: $because', async ({ args, exit, err }) => {
    const result = await flotilla('approve', ...args);
    expect(result.err).toMatch(err);
    expect(result.exit).toBe(exit);
  });
});

describe('flotilla clusters', () => {
  it('lists what is seen of each cluster', async () => {
    const { out, exit } = await flotilla('clusters', 'list');
    expect(lines(out)).toEqual([
      ['NAME', 'REACHABLE', 'VERSION', 'GLOBAL CATALOGS', 'OLM'],
      ['east', 'yes', 'v1.34.4', 'olm', 'kinds only'],
      ['west', 'yes', 'v1.34.4', 'olm', 'kinds only'],
      ['bare', 'yes', 'v1.34.4', 'olm', 'none'],
    ]);
    expect(exit).toBe(0);
  });

  /** Waits for the hub; is taken back where another program puts finalizers back. */
  async function removeHarbour(file: string): Promise<void> {
    const dry = await flotilla('clusters', 'remove', 'harbour');
    expect(dry.out).toMatch(
      /ClusterServiceVersion team\/mill.v1.0.0: finalizer operators.coreos.com\/csv-cleanup would be released/,
    );
    expect((await flotilla('get', 'csvs', '-o', 'name')).out).toContain('harbour/');
    hubClusters = ['harbour'];
    const kept = await flotilla('clusters', 'remove', 'harbour', '--yes', '--hub', hub.url, '--timeout', '1s');
    expect(kept).toMatchObject({
      exit: 1,
      out: '',
      err: expect.stringMatching(/error: harbour is not removed: the hub at .* manages it still.*; stop that hub/),
    });
    expect(await readFile(file, 'utf8'), 'the hub is to go on').not.toContain('leaving');
    expect((await flotilla('clusters', 'remove', 'harbour', '--hub', hub.url)).err).toMatch(/Nothing .*the hub at /);
    hubClusters = ['other'];
    const back = putBackOnce('mill.v1.0.0');
    const returned = await flotilla('clusters', 'remove', 'harbour', '--yes', '--hub', hub.url);
    expect(returned).toMatchObject({
      exit: 1,
      err: expect.stringMatching(/restored its finalizers on 1 object; stop/),
    });
    await back;
    expect((await flotilla('clusters', 'resume', 'harbour')).out, 'the removal is taken back').toMatch(/managed again/);
    hubClusters = ['harbour'];
    const removing = flotilla('clusters', 'remove', 'harbour', '--yes', '--hub', hub.url);
    await vi.waitFor(async () => expect(await readFile(file, 'utf8')).toContain('leaving: true'), PATIENCE);
    hubClusters = ['other'];
    expect(await removing).toMatchObject({ exit: 0, err: expect.stringMatching(/it leaves the cluster now/) });
    const left = fleet.cluster('east').get({
      apiVersion: 'operators.coreos.com/v1alpha1',
      kind: 'ClusterServiceVersion',
      name: 'mill.v1.0.0',
      namespace: 'team',
    });
    expect(left?.metadata.finalizers ?? []).toEqual([]);
    expect((await flotilla('clusters', 'remove', 'harbour')).err).toMatch(/no cluster "harbour"/);
  }

  it('a cluster joins, is used without a kubeconfig, and leaves', async () => {
    vi.stubEnv('FLOTILLA_KUBECONFIG', '');
    const file = join(folder, 'hub', 'clusters.yaml');
    const add = ['clusters', 'add', '--kubeconfig', kubeconfig, '--context', 'east', '--name', 'harbour'];
    const added = await flotilla(...add, '--global-catalog-namespace', 'market');
    expect(added).toMatchObject({ exit: 0, out: `cluster harbour added to ${file}\n` });
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const again = await flotilla(...add, '--global-catalog-namespace', 'market');
    expect(again).toMatchObject({ exit: 0, out: `cluster harbour exists already in ${file}\n`, err: '' });
    const other = await flotilla(...add);
    expect(other).toMatchObject({ exit: 2, err: expect.stringMatching(/cluster "harbour" exists already.*--update/) });
    const both = ['clusters', 'add', '--kubeconfig', kubeconfig, '--context', 'east', '--context', 'west', '--dry-run'];
    expect(await flotilla(...both)).toMatchObject({
      exit: 0,
      out: `cluster west would be added to ${file}\n`,
      err: expect.stringMatching(/^note: .* is already managed as cluster "harbour"\n/),
    });
    const twin = await flotilla('clusters', 'add', '--kubeconfig', kubeconfig, '--context', 'east');
    expect(twin.err).toMatch(/is already managed as cluster "harbour"/);
    const listed = await flotilla('clusters', 'list', '-o', 'json');
    expect(JSON.parse(listed.out)).toMatchObject({
      verdict: 'yes',
      items: [{ name: 'harbour', reachable: true, globalCatalogNamespace: 'market' }],
    });
    await removeHarbour(file);
  });

  it('is paused and resumed in the file of the clusters', async () => {
    const file = join(folder, 'paused.yaml');
    vi.stubEnv('FLOTILLA_CLUSTERS_FILE', file);
    await flotilla('clusters', 'add', '--kubeconfig', kubeconfig, '--context', 'east');
    expect(await flotilla('clusters', 'pause', 'east')).toMatchObject({
      exit: 0,
      out: `cluster east is paused, in ${file}\n`,
      err: expect.stringMatching(/flotilla clusters resume east/),
    });
    expect(await readFile(file, 'utf8')).toMatch(/paused: true/);
    expect((await flotilla('clusters', 'pause', 'east')).out).toContain('is paused already');
    expect((await flotilla('clusters', 'resume', 'east')).out).toBe(`cluster east is managed again, in ${file}\n`);
    expect(await readFile(file, 'utf8')).not.toMatch(/paused/);
    expect(await flotilla('clusters', 'pause', 'est')).toMatchObject({
      exit: 2,
      err: expect.stringMatching(/no cluster "est".*did you mean "east"/),
    });
  });

  it('is taken over for a hub, and given up when it is removed', async () => {
    vi.stubEnv('FLOTILLA_KUBECONFIG', '');
    vi.stubEnv('FLOTILLA_HUB_ID', 'hub-1');
    vi.stubEnv('FLOTILLA_CLUSTERS_FILE', join(folder, 'owned.yaml'));
    const system = { apiVersion: 'v1', kind: 'Namespace', name: 'kube-system' };
    const owner = () => fleet.cluster('east').get(system)?.metadata.annotations?.['flotilla.dev/hub'];
    await flotilla('clusters', 'add', '--kubeconfig', kubeconfig, '--context', 'east');
    const say = (text: string) => ({ exit: 0, out: expect.stringContaining(text) });
    expect(await flotilla('clusters', 'take-over', 'east', '--hub-id', 'hub-9', '--dry-run')).toMatchObject(
      say('cluster east would be managed by hub hub-9'),
    );
    expect(owner()).toBeUndefined();
    expect(await flotilla('clusters', 'take-over', 'east')).toMatchObject(
      say('cluster east is managed by hub hub-1 from now on (before: none)'),
    );
    expect(owner()).toBe('hub-1');
    expect((await flotilla('clusters', 'list', '-o', 'json')).out).toContain('"hub": "hub-1"');
    expect(await flotilla('clusters', 'take-over', 'east', '--hub-id', 'olm')).toMatchObject({ exit: 2 });
    hubClusters = [];
    const removed = await flotilla('clusters', 'remove', 'east', '--yes', '--hub', hub.url);
    expect(removed).toMatchObject(say('Namespace kube-system: annotation flotilla.dev/hub removed'));
    expect(owner()).toBeUndefined();
  });

  it('is known by its identity: another context of it is not added, nor another cluster under its name', async () => {
    vi.stubEnv('FLOTILLA_CLUSTERS_FILE', join(folder, 'identities.yaml'));
    const other = join(folder, 'other-address');
    const text = fleet.kubeconfig();
    await writeFile(other, text.replaceAll('/clusters/east', '/clusters/east/'));
    await flotilla('clusters', 'add', '--kubeconfig', kubeconfig, '--context', 'east');
    const twin = await flotilla('clusters', 'add', '--kubeconfig', other, '--context', 'east', '--name', 'harbour');
    expect(twin).toMatchObject({ exit: 2, err: expect.stringMatching(/already managed as cluster "east"/) });
    const add = ['clusters', 'add', '--kubeconfig', kubeconfig, '--context', 'west', '--name', 'east', '--update'];
    expect(await flotilla(...add)).toMatchObject({ exit: 2, err: expect.stringMatching(/leads to another cluster/) });
  });

  it('is not added where it does not answer', async () => {
    const away = join(folder, 'away-alone');
    await writeFile(away, fleet.kubeconfig().replaceAll(/https:\/\/127[^ \n]+/g, 'https://127.0.0.1:1'));
    const result = await flotilla('clusters', 'add', '--kubeconfig', away, '--context', 'west');
    expect(result).toMatchObject({
      exit: 3,
      out: '',
      err: expect.stringMatching(/west is not added because it is unreachable/),
    });
  });

  it('a cluster that does not answer is not removed, and the message names --force', async () => {
    vi.stubEnv('FLOTILLA_KUBECONFIG', '');
    const away = join(folder, 'away-joined');
    await writeFile(away, fleet.kubeconfig().replaceAll(/https:\/\/127[^ \n]+/g, 'https://127.0.0.1:1'));
    await flotilla('clusters', 'add', '--no-check', '--kubeconfig', away, '--context', 'west', '--name', 'dead');
    const refused = await flotilla('clusters', 'remove', 'dead', '--yes');
    expect(refused).toMatchObject({ exit: 3, err: expect.stringMatching(/; remove dead nevertheless with --force/) });
    expect(await flotilla('clusters', 'remove', 'dead', '--yes', '--force')).toMatchObject({ exit: 0 });
  });

  it('checks the rights of both roles', async () => {
    const { out, exit } = await flotilla('clusters', 'check', '-C', 'east');
    expect(out).toMatch(/poller: has every right of ClusterRole flotilla:observe$/m);
    expect(exit).toBe(0);
  });

  it('grants rights that are missing to the user of the login', async () => {
    const { url, token } = fleet.cluster('east');
    fleet.cluster('east').create({
      apiVersion: 'v1',
      kind: 'ServiceAccount',
      metadata: { name: 'guest', namespace: 'default' },
    });
    const guest = await issueToken({ url, token }, 'default', 'guest');
    const file = join(folder, 'guest');
    await writeFile(file, fleet.kubeconfig().replaceAll(/token: .*/g, `token: ${guest}`), { mode: 0o600 });
    const { out, exit } = await flotilla('clusters', 'check', '--kubeconfig', file, '-C', 'east');
    expect(out).toMatch(/poller: missing rights of ClusterRole flotilla:observe\n/);
    expect(out).toContain('--clusterrole=flotilla:apply --serviceaccount=default:guest\n');
    expect(exit).toBe(1);
  });
});
