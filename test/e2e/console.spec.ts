import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { InstallPlan } from '#core/kernel/api/install-plan';
import { APPROVAL_ANNOTATIONS } from '#core/view/actions/decide-approval';
import { PROJECT_ROOT } from '#platform/files/project-root';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import { findRedis } from '#platform/redis/local/find-redis';
import { serveCrds } from '#testing/cluster/served-crds';
import type { ControlPlane } from '#testing/control-plane/control-plane';
import { startControlPlane } from '#testing/control-plane/find-control-plane';
import { startTcpProxy, type TcpProxy } from '#testing/control-plane/tcp-proxy';
import type { ServicesEnvironment } from '../../apps/cli/src/commands/demo/environment/demo-environment.js';
import {
  putSampleBundles,
  putSampleCatalog,
  SAMPLE_CATALOG,
} from '../../apps/cli/src/commands/demo/environment/sample-images.js';
import { runFlotilla } from '../../apps/cli/src/run-flotilla.fixture.js';
import { ConsoleTab, chromiumNeed, launchChromium } from '../console/browser.js';
import { cleanCluster } from '../story/clean-clusters.js';
import { startQuickEnvironment } from '../story/quick-environment.js';
import { OpenPage, Operator, WAIT } from './console-support/open-page.js';

const EXAMPLES = join(PROJECT_ROOT, 'examples');
const PACKAGE = 'lighthouse-operator';
const NAMESPACE = 'lights';
const [FIRST, SECOND, THIRD] = [`${PACKAGE}.v1.0.0`, `${PACKAGE}.v1.1.0`, `${PACKAGE}.v1.2.0`];
const SECRET = 'hunter2-of-the-lighthouse';
const PLAN = { apiVersion: 'operators.coreos.com/v1alpha1', kind: 'InstallPlan', namespace: NAMESPACE } as const;
const Items = z.looseObject({ items: z.array(z.unknown()) });
const Clusters = z.looseObject({ items: z.array(z.looseObject({ cluster: z.string(), reach: z.string() })) });
const Fleet = z.looseObject({ counts: z.record(z.string(), z.int()) });
const Status = z.looseObject({ waiting: z.array(z.looseObject({ cluster: z.string(), standing: z.string() })) });
const Action = z.looseObject({
  id: z.string(),
  results: z.array(z.looseObject({ cluster: z.string(), outcome: z.string(), message: z.string() })),
});
const Review = z.looseObject({
  groups: z.array(z.looseObject({ members: z.array(z.looseObject({ cluster: z.string() })) })),
  unchecked: z.array(z.unknown()),
});

/** The hub's services, its console and two clusters. A test may cut the network of the second one. */
let [folder, key, origin] = ['', '', ''];
let plane: ControlPlane;
let proxy: TcpProxy;
let redis: Awaited<ReturnType<typeof findRedis>>;
let environment: ServicesEnvironment;
let [first, second]: KubeClient[] = [];
const endings: (() => unknown)[] = [];
const clients = (): readonly KubeClient[] => [first, second].filter((one) => one !== undefined);

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'flotilla-e2e-console-'));
  endings.push(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  plane = await startControlPlane({ clusters: 2 });
  endings.push(() => plane.stop());
  const [one, two] = plane.clusters;
  if (one === undefined || two === undefined) throw new Error('a control plane with too few clusters');
  const server = /https:\/\/[^\s"/]+/.exec(two.kubeconfig)?.[0] ?? '';
  const url = new URL(server);
  proxy = await startTcpProxy({ host: url.hostname, port: Number(url.port) });
  endings.push(() => proxy.stop());
  const cut = join(folder, 'second');
  await writeFile(cut, two.kubeconfig.replaceAll(server, `https://127.0.0.1:${proxy.port}`), { mode: 0o600 });
  redis = await findRedis({ log: () => undefined, preferExisting: false });
  endings.push(() => redis.stop());
  environment = await startQuickEnvironment({
    kubeconfigs: [one.kubeconfigPath, cut],
    redis,
    resolvers: 1,
    withConsole: true,
  });
  endings.push(() => environment.stop());
  [first, second] = environment.clients;
  const link = new URL(environment.console?.link ?? '');
  [origin, key] = [link.origin, link.hash.replace('#key=', '')];
  vi.stubEnv('FLOTILLA_KUBECONFIG', [one.kubeconfigPath, cut].join(':'));
  endings.push(() => vi.unstubAllEnvs());
  await putSampleBundles(EXAMPLES, environment.registry.put);
  await putSampleCatalog(EXAMPLES, 'v2', environment.registry);
  await Promise.all(clients().map(subscribe));
});
afterAll(async () => {
  proxy?.resume();
  for (const service of environment?.services ?? []) await service.stop('SIGKILL');
  await Promise.all(clients().map(cleanCluster));
  for (const end of endings.toReversed()) await end();
});

/** One operator with plans that wait for approval; in the first cluster with a password. */
async function subscribe(client: KubeClient, at: number): Promise<void> {
  await serveCrds(client);
  const olm = (kind: string, version = 'v1alpha1') => ({ apiVersion: `operators.coreos.com/${version}`, kind });
  const env = at === 0 ? [{ name: 'LAMP_PASSWORD', value: SECRET }] : [];
  const objects = [
    ...['olm', NAMESPACE].map((name) => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } })),
    {
      ...{ ...olm('CatalogSource'), metadata: { name: 'samples', namespace: 'olm' } },
      spec: { sourceType: 'grpc', image: `${environment.registry.host}/${SAMPLE_CATALOG}` },
    },
    {
      ...{ ...olm('OperatorGroup', 'v1'), metadata: { name: 'own', namespace: NAMESPACE } },
      spec: { targetNamespaces: [NAMESPACE] },
    },
    {
      ...{ ...olm('Subscription'), metadata: { name: PACKAGE, namespace: NAMESPACE } },
      spec: {
        ...{ name: PACKAGE, channel: 'stable', source: 'samples', sourceNamespace: 'olm', startingCSV: FIRST },
        ...{ installPlanApproval: 'Manual', config: { env } },
      },
    },
  ];
  for (const object of objects) await vi.waitFor(() => client.create(object), WAIT);
}

const bearer = () => ({ authorization: `Bearer ${key}`, 'content-type': 'application/json' });
const get = (path: string, headers: Readonly<Record<string, string>> = bearer()) =>
  fetch(new URL(path, origin), { headers });
const post = (path: string, body: object, headers: Readonly<Record<string, string>> = {}) =>
  fetch(new URL(path, origin), { method: 'POST', headers: { ...bearer(), ...headers }, body: JSON.stringify(body) });

async function asked(path: string): Promise<unknown> {
  const answer = await get(`/api/v1/${path}`);
  expect(answer.status, path).toBe(200);
  return answer.json();
}
const operators = async (): Promise<readonly Operator[]> =>
  Items.parse(await asked('operators?sort=cluster')).items.map((item) => Operator.parse(item));

/** A plan that waits in each of the clusters, for the version. */
async function waiting(next: string, clusters = 2): Promise<readonly Operator[]> {
  let found: readonly Operator[] = [];
  const count = async () => {
    found = (await operators()).filter((row) => row.next === next && row.planHash !== '');
    return found.length;
  };
  await expect.poll(count, WAIT).toBe(clusters);
  return found;
}

async function reviewed(hash: string): Promise<z.infer<typeof Review>> {
  const answer = await post('/api/v1/questions/review', { hash });
  return Review.parse(await answer.json());
}

let actions = 0;
/** Approves the reviewed rows, and waits until each cluster has an answer. */
async function approve(rows: readonly Operator[]): Promise<Readonly<Record<string, string>>> {
  const targets = rows.map(({ cluster, plan }) => ({ cluster, namespace: NAMESPACE, name: plan }));
  const body = { verb: 'approve', planHash: rows[0]?.planHash, targets, comment: 'CHG-4711' };
  const sent = await post('/api/v1/actions', body, { 'idempotency-key': `approval-${++actions}` });
  expect(sent.status, await sent.clone().text()).toBe(202);
  const { id } = Action.parse(await sent.json());
  const answer = async () => Action.parse(await asked(`actions/${id}`)).results;
  await expect.poll(async () => (await answer()).map(({ outcome }) => outcome), WAIT).not.toContain('pending');
  return Object.fromEntries((await answer()).map(({ cluster, outcome }) => [cluster, outcome]));
}

describe('the console, on two real API servers', () => {
  it('1: the key of the link signs in, and nothing is answered without it', async () => {
    expect((await get('/api/v1/fleet', {})).status).toBe(401);
    expect(await asked('me')).toMatchObject({ name: 'local' });
    if (!chromiumNeed.isThere) return;
    const browser = await launchChromium();
    try {
      const tab = await ConsoleTab.open(browser, environment.console?.link ?? '');
      expect(tab.page.url()).not.toContain('key');
      await expect.poll(() => tab.page.locator('main').first().innerText(), WAIT).toMatch(/needs approval/i);
      expect(tab.troubles).toEqual([]);
    } finally {
      await browser.close();
    }
  });

  it('21: what another site sends, another name and a frame are refused', async () => {
    const [row] = await waiting(FIRST);
    const targets = [{ cluster: row?.cluster, namespace: NAMESPACE, name: row?.plan }];
    const body = { verb: 'approve', planHash: row?.planHash, targets };
    for (const foreign of [{ 'sec-fetch-site': 'cross-site' }, { origin: 'https://evil.example' }])
      expect((await post('/api/v1/actions', body, { ...foreign, 'idempotency-key': 'from-elsewhere' })).status).toBe(
        403,
      );
    const status = await new Promise((resolve, reject) => {
      request(new URL('/api/v1/fleet', origin), { headers: { ...bearer(), host: 'evil.example' } })
        .once('response', (answer) => resolve(answer.resume().statusCode))
        .once('error', reject)
        .end();
    });
    expect(status).toBe(421);
    expect((await get('/')).headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
    expect((await waiting(FIRST)).every(({ plan }) => plan !== '')).toBe(true);
  });

  it('5 and 6: one plan is approved in both clusters after one review, but not where it has changed since', async () => {
    const rows = await waiting(FIRST);
    const { groups, unchecked } = await reviewed(rows[0]?.planHash ?? '');
    expect(groups.flatMap(({ members }) => members)).toHaveLength(2);
    expect(unchecked).toEqual([]);
    const slipped = await slipIn(rows.at(-1)?.plan ?? '');
    const [one, two] = rows.map(({ cluster }) => cluster);
    expect(await approve(rows)).toEqual({ [String(one)]: 'done', [String(two)]: 'changed-meanwhile' });
    expect(await planOf(second, slipped)).toMatchObject({ spec: { approved: false } });
    expect((await planOf(first, rows[0]?.plan ?? '')).metadata.annotations).toMatchObject({
      [APPROVAL_ANNOTATIONS.by]: 'local',
      [APPROVAL_ANNOTATIONS.plan]: rows[0]?.planHash,
      [APPROVAL_ANNOTATIONS.comment]: 'CHG-4711',
    });
    const rowOf = async (cluster: unknown) => (await operators()).find((row) => row.cluster === cluster);
    await expect.poll(() => rowOf(one), WAIT).toMatchObject({ installed: FIRST });
    await expect.poll(async () => (await rowOf(two))?.planHash, WAIT).not.toBe(rows[0]?.planHash);
    const again = await waiting(FIRST, 1);
    expect(await approve(again)).toEqual({ [String(two)]: 'done' });
    await waiting(SECOND);
  });

  const planOf = async (client: KubeClient | undefined, name: string) =>
    InstallPlan.parse(await client?.get({ ...PLAN, name }));

  /** Changes the content of the plan of the second cluster. Returns the name of the plan. */
  async function slipIn(name: string): Promise<string> {
    const plan = await planOf(second, name);
    const [step] = plan.status?.plan ?? [];
    if (step == null || plan.status === undefined) throw new Error('a plan without steps');
    const manifest = (step.resource.manifest ?? '').replace(
      '"metadata":{',
      '"metadata":{"annotations":{"slipped":"in"},',
    );
    expect(manifest).toContain('slipped');
    const changed = { ...step, resource: { ...step.resource, manifest } };
    await second?.updateStatus({
      ...plan,
      status: { ...plan.status, plan: [changed, ...(plan.status.plan ?? []).slice(1)] },
    });
    return name;
  }

  it('2: the counts of the page Fleet are those of flotilla status', async () => {
    // The page follows the clusters; the command asks them.
    const isSame = async () => {
      const status = Status.parse(JSON.parse((await runFlotilla(['status', '-o', 'json'])).out));
      const { counts } = Fleet.parse(await asked('fleet'));
      for (const standing of ['failed', 'blocked', 'needs-approval', 'under-way'])
        expect(counts[standing], standing).toBe(status.waiting.filter((one) => one.standing === standing).length);
      expect(counts['needs-approval']).toBe(2);
    };
    await vi.waitFor(isSame, WAIT);
  });

  it('20: every address opens anew, and what is gone is a sentence', async () => {
    const [row] = await operators();
    const paths = [
      '',
      'clusters',
      `clusters/${row?.cluster}`,
      'operators',
      `operators/${PACKAGE}`,
      'approvals',
      'catalogs',
    ];
    const more = [
      'rollouts',
      `rollouts/${PACKAGE}@${SECOND}`,
      'changes?since=7d',
      'hub',
      'about',
      'operators?standing=failed',
    ];
    for (const path of [...paths, ...more, `clusters/${row?.cluster}/${NAMESPACE}/subscriptions/${PACKAGE}`]) {
      const answer = await get(`/${path}`, { accept: 'text/html' });
      expect(`${path} ${answer.status}`).toBe(`${path} 200`);
      expect(await answer.text()).toContain('<title>');
    }
    const gone = { cluster: row?.cluster, kind: 'Subscription', namespace: NAMESPACE, name: 'ghost' };
    const answer = await post('/api/v1/questions/explain', gone);
    expect([answer.status, await answer.json()]).toEqual([404, expect.objectContaining({ todo: expect.any(String) })]);
  });

  it('12: an open page follows a rollout to its end, without asking again', async () => {
    const page = await OpenPage.open(origin, bearer());
    const [row] = await waiting(SECOND);
    expect(Object.values(await approve(row === undefined ? [] : [row]))).toEqual(['done']);
    await expect
      .poll(() => page.operators().findLast(({ cluster }) => cluster === row?.cluster), WAIT)
      .toMatchObject({ installed: SECOND });
    page.close();
  });

  it('22: a password of a Subscription is in no answer, stream, log or audit line', async () => {
    const [row] = await operators();
    const address = { cluster: row?.cluster, kind: 'Subscription', namespace: NAMESPACE, name: PACKAGE };
    const answers = ['explain', 'object', 'events'].map(async (ask) =>
      (await post(`/api/v1/questions/${ask}`, address)).text(),
    );
    const lists = ['operators', 'plans', 'changes', 'causes', 'catalog-rows'].map(async (path) =>
      JSON.stringify(await asked(path)),
    );
    const said = (await Promise.all([...answers, ...lists])).join('\n');
    expect(said).toContain('LAMP_PASSWORD');
    const services = [
      ...environment.services,
      ...(environment.console === undefined ? [] : [environment.console.service]),
    ];
    const logs = await Promise.all(services.map(({ logFile }) => readFile(logFile, 'utf8')));
    expect(logs.join('\n')).toContain('CHG-4711');
    for (const text of [said, ...logs]) expect(text).not.toContain(SECRET);
  });

  it('14: after a restart of the console a page comes back, and no row is lost or there twice', async () => {
    // An upgrade has just ended: other fields of its row may still change.
    const shape = async () => (await operators()).map(({ cluster, installed }) => [cluster, installed]);
    const before = await shape();
    const page = await OpenPage.open(origin, bearer());
    await environment.console?.service.stop('SIGKILL');
    environment.console?.service.start();
    await expect
      .poll(
        () =>
          get('/api/v1/me').then(
            ({ status }) => status,
            () => 0,
          ),
        WAIT,
      )
      .toBe(200);
    const back = await OpenPage.open(origin, bearer(), page.last);
    await expect.poll(() => back.frames.map(({ event }) => event), WAIT).toContain('reset');
    back.close();
    await expect.poll(shape, WAIT).toEqual(before);
  });

  it('13: after Redis was emptied the rows are there again', async () => {
    const shape = async () =>
      (await operators()).map(({ cluster, standing, installed, next }) => [cluster, standing, installed, next]);
    // Nothing moves: the plan of the next version waits in each cluster.
    await waiting(SECOND, 1);
    await waiting(THIRD, 1);
    const before = await shape();
    expect(before.map(([, standing]) => standing)).toEqual(['needs-approval', 'needs-approval']);
    const client = new Redis(redis.url);
    await client.flushall();
    const rows = async () => (await client.keys('*:view:rows:*')).length;
    await expect.poll(rows, WAIT).toBe(2);
    client.disconnect();
    await expect.poll(shape, WAIT).toEqual(before);
  });

  it('3 and 7: a cluster that is cut off says so, the other one goes on, and an approval there is not done', async () => {
    const [row] = (await waiting(SECOND, 1)).filter(({ installed }) => installed === FIRST);
    proxy.refuse();
    const reaches = async () =>
      Object.fromEntries(Clusters.parse(await asked('clusters')).items.map(({ cluster, reach }) => [cluster, reach]));
    const lost = String(row?.cluster);
    await expect.poll(async () => (await reaches())[lost], WAIT).toMatch(/^(stale|away)$/);
    const others = async () =>
      Object.entries(await reaches()).flatMap(([name, reach]) => (name === lost ? [] : [reach]));
    await expect.poll(others, WAIT).toEqual(['fresh']);
    expect(await approve(row === undefined ? [] : [row])).toEqual({ [lost]: 'away' });
    proxy.resume();
    await expect.poll(async () => (await reaches())[lost], WAIT).toBe('fresh');
    await expect.poll(async () => (await planOf(second, row?.plan ?? '')).spec.approved, WAIT).toBe(false);
  });
});
