import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { readRefusedEvents } from '#core/kernel/rbac/read-refused';
import { SystemClock } from '#platform/clock/system-clock';
import { loadClusters } from '#platform/kube/access/load-clusters';
import { performActions } from '#platform/kube/write/perform-actions';
import { eventRef } from '#platform/kube/write/record-event';
import { serveKnownCrds } from '#testing/cluster/served-crds';
import { type SimulatedFleet, startSimulatedFleet } from '#testing/cluster/simulated-fleet';
import { reconcileNamespace } from '../../../../libs/lifecycle/src/classic/namespaces/reconcile-namespace.js';
import { operatorGroupStage } from '../../../../libs/lifecycle/src/classic/operator-groups/operator-group.stage.js';
import { subscriptionStage } from '../../../../libs/lifecycle/src/classic/subscriptions/subscription.stage.js';
import {
  configMapCatalog,
  csv,
  installPlan,
  operatorGroup,
  put,
  subscription,
} from '../clusters/live-objects.fixture.js';
import { startFakeHub } from '../hub/fake-hub.fixture.js';
import { runFlotilla } from '../run-flotilla.fixture.js';

let folder = '';
let fleet: SimulatedFleet;
let hub: Server;
let hubUrl = '';

/**
 * `wish`: installs next; `lost`: cannot be resolved; `wait`: a plan to approve; `alone`: no
 * group; `sick`: an unmet CSV.
 */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'flotilla-live-'));
  fleet = await startSimulatedFleet({ clusters: ['east'] });
  await writeFile(join(folder, 'kubeconfig'), fleet.kubeconfig(), { mode: 0o600 });
  const [client] = await loadClusters({ kubeconfigs: [join(folder, 'kubeconfig')], fieldManager: 'test' });
  if (client === undefined) throw new Error('the fleet has no cluster');
  await serveKnownCrds(client, fleet.cluster(client.cluster));
  await client.close();
  const east = fleet.cluster('east');
  for (const name of ['olm', 'wish', 'lost', 'wait', 'alone', 'sick']) {
    east.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
    if (name !== 'olm' && name !== 'alone') put(east, operatorGroup(name));
  }
  for (const object of configMapCatalog()) put(east, object);
  put(east, subscription({ namespace: 'wish' }));
  const failed = {
    type: 'ResolutionFailed',
    status: 'True',
    reason: 'ConstraintsNotSatisfiable',
    message: 'none found',
  };
  put(east, subscription({ namespace: 'lost', package: 'ghost', status: { conditions: [failed] } }));
  const pending = { state: 'UpgradePending', currentCSV: 'mill.v1.0.0', installPlanRef: { name: 'install-1' } };
  put(east, subscription({ namespace: 'wait', status: pending }));
  put(east, installPlan('install-1', false, 'RequiresApproval', 'wait'));
  put(east, subscription({ namespace: 'alone' }));
  const requirementStatus = [
    {
      group: 'apiextensions.k8s.io',
      version: 'v1',
      kind: 'CustomResourceDefinition',
      name: 'gears.example.com',
      status: 'NotPresent',
      message: 'CRD is not present',
    },
  ];
  put(east, csv('mill.v1.0.0', 'Pending', 'sick', { requirementStatus }));
  hub = createServer((request, response) => {
    const health = { status: 'error', details: { redis: { status: 'down', detail: 'the connection is closed' } } };
    response.statusCode = request.url === '/readyz' ? 503 : 200;
    response.end(
      request.url === '/readyz' ? JSON.stringify(health) : 'bullmq_job_count{queue="apply",state="waiting"} 7\n',
    );
  });
  await new Promise<void>((resolve) => hub.listen(0, '127.0.0.1', resolve));
  const address = hub.address();
  hubUrl = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
});
afterAll(async () => {
  hub.close();
  await fleet.stop();
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
});
beforeEach(() => {
  vi.stubEnv('FLOTILLA_KUBECONFIG', join(folder, 'kubeconfig'));
  vi.stubEnv('FLOTILLA_CONTENT_DIR', join(folder, 'content'));
  return () => vi.unstubAllEnvs();
});

const flotilla = (...args: string[]) => runFlotilla(args);

describe('flotilla explain, in a cluster', () => {
  it.each([
    { subject: ['sub', 'mill', '-n', 'alone'], says: /no OperatorGroup in namespace alone/, exit: 1 },
    {
      subject: ['sub', 'mill', '-n', 'lost'],
      says: /Namespace lost cannot be resolved \(Constraints.*\n.*none found\.\n\nSubscription lost\/mill cannot be met:.*\n.*has no package ghost/,
      exit: 1,
    },
    {
      subject: ['sub', 'mill', '-n', 'wait'],
      says: /has InstallPlan install-1[\s\S]*What to do:\n {2}flotilla approve installplan install-1 -n wait -C east\n/,
      exit: 1,
    },
    {
      subject: ['ip', 'install-1', '-n', 'wait'],
      says: /waits for approval; then it installs mill/,
      exit: 1,
    },
    {
      subject: ['csv', 'mill.v1.0.0', '-n', 'sick'],
      says: /a requirement is not met[\s\S]*gears\.example\.com: NotPresent, CRD is not present[\s\S]*Install the operator that provides the API/,
      exit: 1,
    },
    { subject: ['catalog', 'samples', '-n', 'olm'], says: /It is READY/, exit: 0 },
    { subject: ['sub', 'mill', '-n', 'wish'], says: /Nothing was resolved for it yet/, exit: 0 },
  ])('$subject', async ({ subject, says, exit }) => {
    const { out, err, exit: code } = await flotilla('explain', ...subject);
    expect(err).toBe('');
    expect(out).toMatch(says);
    expect(code).toBe(exit);
  });

  it('names the right that the hub is missing in the cluster, and how to grant it', async () => {
    const denied =
      'cluster "east": list of roles: roles.rbac.authorization.k8s.io is forbidden: User "applier" cannot list resource "roles" in API group "rbac.authorization.k8s.io" at the cluster scope';
    const writes = { status: 'degraded', detail: 'refused', troubles: { east: denied, west: 'another' } };
    const hindered = await startFakeHub({ '/readyz': { body: { status: 'ok', details: { writes } } } });
    const { out, exit } = await flotilla('explain', 'sub', 'mill', '-n', 'wish', '--hub', hindered.url);
    await hindered.stop();
    expect(out).toContain(`because: The hub reports of this cluster: ${denied}.\n`);
    expect(out).toMatch(
      /What to do:\n {2}Grant the hub’s account applier the missing right.* flotilla clusters check --kubeconfig FILE/,
    );
    expect(out).not.toContain('another');
    expect(exit).toBe(1);
  });

  it('quotes an Event about that right where no hub answers, until it is old, and takes it for no proof', async () => {
    const said =
      'roles is forbidden: User "applier" cannot list resource "roles" in API group "rbac" at the cluster scope';
    const [event] = readRefusedEvents({ apiVersion: 'v1', kind: 'Namespace', name: 'wish' }, said);
    const [client] = await loadClusters({ kubeconfigs: [join(folder, 'kubeconfig')], fieldManager: 'test' });
    if (client === undefined || event?.do !== 'emitEvent') throw new Error('nothing to begin with');
    const explained = (...more: string[]) => flotilla('explain', 'sub', 'mill', '-n', 'wish', ...more);
    await performActions(client, [event], new Date(Date.now() - 11 * 60_000));
    expect((await explained()).out).not.toContain(said);
    await performActions(client, [event], new Date());
    await client.close();
    const { out, exit } = await explained();
    expect(out).toMatch(/because: Event wish\.\S+ in namespace default of writer "\S+" reports .*hub/);
    expect(out).toContain(`${said}.\n`);
    expect(out).not.toContain('Grant');
    expect(exit).toBe(0);
    const well = await startFakeHub({
      '/readyz': { body: { status: 'ok', details: { writes: { status: 'up', detail: '' } } } },
    });
    expect((await explained('--hub', well.url)).out).not.toContain(said);
    await well.stop();
    const status = (await flotilla('status', '--hub', hubUrl, '-n', 'wish', '--all')).out;
    expect(status).toMatch(/east {2}Namespace wish\n {4}Event wish\.\S+ in namespace default.*roles is forbidden/);
    expect(status).not.toContain('Grant');
    fleet.cluster('east').delete(eventRef(event));
  });

  it('ends with the page of the console, for readers and not in data', async () => {
    vi.stubEnv('FLOTILLA_CONSOLE_EXTERNAL_URL', 'https://flotilla.example.com');
    const asked = ['explain', 'sub', 'mill', '-n', 'wish'] as const;
    const page = 'Console https://flotilla.example.com/clusters/east/wish/subscriptions/mill\n';
    expect((await flotilla(...asked)).out.endsWith(`\n${page}`)).toBe(true);
    expect((await flotilla(...asked, '-o', 'json')).out).not.toContain('flotilla.example.com');
    const status = ['status', '--hub', hubUrl, '-C', 'east'] as const;
    expect((await flotilla(...status)).out).toMatch(/\nConsole https:\/\/flotilla\.example\.com\/clusters\/east\n$/);
    expect((await flotilla(...status, '-o', 'json')).out).not.toContain('flotilla.example.com');
  });

  it('the same as data', async () => {
    const { out } = await flotilla('explain', 'sub', 'mill', '-n', 'wait', '-o', 'json');
    expect(JSON.parse(out)).toMatchObject({
      cluster: 'east',
      kind: 'Subscription',
      standing: 'needs-approval',
      root: { kind: 'InstallPlan', namespace: 'wait', name: 'install-1' },
    });
  });

  it.each([
    { subject: ['sub', 'mill'], err: /specify a namespace with -n/ },
    { subject: ['sub'], err: /specify an object: flotilla explain sub NAME/ },
    { subject: ['pod', 'mill', '-n', 'wish'], err: /cannot explain objects of kind "pod"/ },
  ])('bad input: $subject', async ({ subject, err }) => {
    expect(await flotilla('explain', ...subject)).toMatchObject({ exit: 2, out: '', err: expect.stringMatching(err) });
  });
});

describe('flotilla plan --live', () => {
  const written = (kind: string, version = 'v1alpha1') =>
    fleet.cluster('east').list({ apiVersion: `operators.coreos.com/${version}`, kind, namespace: 'wish' });

  it('shows what would be written next, and writes nothing', async () => {
    const before = structuredClone(written('OperatorGroup', 'v1'));
    const { out, exit } = await flotilla('plan', '--live', '-n', 'wish');
    expect(out).toMatch(
      /^Next in namespace wish of east:\n {2}patch Namespace wish: .*\n {2}status of OperatorGroup wish/,
    );
    expect(exit).toBe(0);
    expect(written('OperatorGroup', 'v1')).toEqual(before);
  });

  it('makes an InstallPlan of the catalog as it is now, once the steps before it are done', async () => {
    const [client] = await loadClusters({ kubeconfigs: [join(folder, 'kubeconfig')], fieldManager: 'test' });
    if (client === undefined) throw new Error('the fleet has no cluster');
    const signal = new AbortController().signal;
    const stages = [operatorGroupStage, subscriptionStage];
    const place = { client, reads: client, namespace: 'wish', globalCatalogNamespace: 'olm' };
    await reconcileNamespace(place, stages, new SystemClock(), signal);
    await client.close();
    const { out } = await flotilla('plan', '--live', '-n', 'wish', '-o', 'json');
    const { items } = JSON.parse(out) as { items: { writes: unknown[] }[] };
    const [next] = items;
    expect(next?.writes).toMatchObject([
      {
        verb: 'create',
        ref: { kind: 'InstallPlan' },
        change: { spec: { approved: true, clusterServiceVersionNames: ['mill.v1.0.0'] } },
      },
      { verb: 'updateStatus', ref: { kind: 'InstallPlan' } },
      { verb: 'updateStatus', ref: { kind: 'Subscription', name: 'mill' } },
    ]);
    expect(written('InstallPlan')).toEqual([]);
  });

  it('says where it cannot read what the hub may read', async () => {
    const api = { apiVersion: 'operators.coreos.com/v1alpha1', kind: 'CatalogSource' };
    const where = { name: 'bad', namespace: 'wish' };
    fleet.cluster('east').create({ ...api, metadata: where, spec: { sourceType: 'configmap', configMap: 'ghost' } });
    const { err } = await flotilla('plan', '--live', '-n', 'wish');
    expect(err).toMatch(/^note: could not read the content of a catalog of east from here: wish\/bad: .*ghost/);
    fleet.cluster('east').delete({ ...api, ...where });
  });

  it('is not asked with files', async () => {
    const { exit, err } = await flotilla('plan', '--live', '-f', 'x.yaml');
    expect({ exit, err }).toEqual({ exit: 2, err: expect.stringMatching(/choose one of the two/) });
  });
});

describe('flotilla status', () => {
  it('lists what waits, the most urgent first, each cause once', async () => {
    const { out, exit } = await flotilla('status', '--hub', hubUrl);
    expect(out).toMatch(/NOT READY\n {2}redis down: the connection is closed/);
    expect(out).toMatch(/apply +7 +0 +0 +0/);
    expect(out).toMatch(/east +v1\.34\.4 +1\/1 +0\/4 +0\/1/);
    const listed = [...out.matchAll(/^( {2}east {2}(.*)|[A-Z ]+)$/gm)].map(([line, , object]) => object ?? line);
    expect(listed.slice(listed.indexOf('FAILED'))).toEqual([
      'FAILED',
      'Subscription lost/mill',
      'BLOCKED',
      'Namespace alone',
      'ClusterServiceVersion sick/mill.v1.0.0',
      'WAITS FOR APPROVAL',
      'InstallPlan wait/install-1',
      'UNDER WAY',
      'Subscription wish/mill',
    ]);
    expect(out).toContain('→ flotilla approve installplan install-1 -n wait -C east');
    expect(exit).toBe(0);
  });

  it('without a hub and without a cluster: said, exit code 3', async () => {
    const away = join(folder, 'away');
    const text = await readFile(join(folder, 'kubeconfig'), 'utf8');
    await writeFile(away, text.replaceAll(/https:\/\/127[^ \n]+/g, 'https://127.0.0.1:1'));
    const { out, exit } = await flotilla('status', '--hub', 'http://127.0.0.1:1', '--kubeconfig', away);
    expect(out).toMatch(/^HUB not reached at http:\/\/127.0.0.1:1/);
    expect(out).toMatch(/^east {2}does not answer: /m);
    expect(exit).toBe(3);
  });
});
