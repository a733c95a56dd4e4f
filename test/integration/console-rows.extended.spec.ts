import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { Redis } from 'ioredis';
import { dump, load } from 'js-yaml';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { loadCatalog } from '#core/catalog/load/load-catalog';
import { APPROVAL_ANNOTATIONS } from '#core/view/actions/decide-approval';
import { findRedis } from '#platform/redis/local/find-redis';
import { type CatalogServer, serveCatalog } from '#platform/registry/grpc/grpc-catalog-server';
import { type SimulatedFleet, startSimulatedFleet } from '#testing/cluster/simulated-fleet';
import { LONG_PATIENCE, PATIENCE } from '#testing/patience';
import { chainCatalogText, PACKAGE, VERSIONS } from './ownership-support/chain-fleet.js';
import { type RunningUp, runUp } from './up-support/run-up.js';

const CLUSTERS = ['east', 'west'];
const [FIRST = '', SECOND = ''] = VERSIONS;
const olm = (kind: string, version = 'v1alpha1') => ({ apiVersion: `operators.coreos.com/${version}`, kind });
const Contexts = z.looseObject({ contexts: z.array(z.looseObject({ name: z.string() })) });

let folder = '';
let fleet: SimulatedFleet;
let catalogs: CatalogServer;
let redis: Awaited<ReturnType<typeof findRedis>>;
let up: RunningUp;
const kubeconfig = () => join(folder, 'kubeconfig');

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'flotilla-rows-'));
  fleet = await startSimulatedFleet({ clusters: CLUSTERS, deploymentReadyAfterMs: 100 });
  const bytes = Buffer.from(await chainCatalogText([FIRST, SECOND]));
  catalogs = await serveCatalog(await loadCatalog([{ path: 'catalog.json', bytes }]), { port: 0 });
  redis = await findRedis({ log: () => undefined, preferExisting: false });
  await writeFile(kubeconfig(), fleet.kubeconfig(), { mode: 0o600 });
  for (const cluster of CLUSTERS) prepare(cluster);
  up = runUp(['--kubeconfig', kubeconfig()], {
    FLOTILLA_CONTENT_DIR: join(folder, 'content'),
    FLOTILLA_CONSOLE_KEY_FILE: join(folder, 'console-key'),
    FLOTILLA_REDIS_URL: redis.url,
  });
  await up.running();
  for (const cluster of CLUSTERS) subscribe(cluster);
});
afterAll(async () => {
  await up?.kill();
  await catalogs?.stop();
  await fleet?.stop();
  await redis?.stop();
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
});

function prepare(cluster: string): void {
  for (const name of ['olm', 'lights', 'dark']) {
    fleet.cluster(cluster).apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  }
}

/** Makes one operator with plans that wait for approval; in east also one that no catalog has. */
function subscribe(cluster: string): void {
  const one = fleet.cluster(cluster);
  const address = `127.0.0.1:${catalogs.port}`;
  one.create({
    ...{ ...olm('CatalogSource'), metadata: { name: 'chain', namespace: 'olm' } },
    spec: { sourceType: 'grpc', address },
  });
  const wish = (namespace: string, name: string, more: object) => {
    one.create({
      ...{ ...olm('OperatorGroup', 'v1'), metadata: { name: 'own', namespace } },
      spec: { targetNamespaces: [namespace] },
    });
    const spec = { name, channel: 'stable', source: 'chain', sourceNamespace: 'olm', ...more };
    one.create({ ...olm('Subscription'), metadata: { name, namespace }, spec });
  };
  wish('lights', PACKAGE, { startingCSV: `${PACKAGE}.${FIRST}`, installPlanApproval: 'Manual' });
  if (cluster === 'east') wish('dark', 'no-such-operator', {});
}

const Items = z.looseObject({ items: z.array(z.record(z.string(), z.unknown())) });

async function asked(path: string): Promise<unknown> {
  const [, origin = '', key = ''] = /^Console (\S+)\/#key=(\S+)/m.exec(up.said.out) ?? [];
  const answer = await fetch(`${origin}/api/v1/${path}`, { headers: { authorization: `Bearer ${key}` } });
  expect(answer.status).toBe(200);
  return answer.json();
}
async function question(ask: string, body: object): Promise<Response> {
  const [, origin = '', key = ''] = /^Console (\S+)\/#key=(\S+)/m.exec(up.said.out) ?? [];
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  return fetch(`${origin}/api/v1/questions/${ask}`, { method: 'POST', headers, body: JSON.stringify(body) });
}
async function answered(ask: string, body: object): Promise<unknown> {
  const answer = await question(ask, body);
  expect(answer.status, await answer.clone().text()).toBe(200);
  return answer.json();
}
const DARK = { cluster: 'east', kind: 'Subscription', namespace: 'dark', name: 'no-such-operator' };
const LIGHTS = { cluster: 'west', kind: 'Subscription', namespace: 'lights', name: PACKAGE };
const review = async () => {
  const [one] = await listed('plan-classes');
  return answered('review', { hash: one?.['hash'] });
};

const listed = async (path: string) => Items.parse(await asked(path)).items;

const Plan = z.looseObject({ metadata: z.looseObject({ name: z.string(), namespace: z.string() }) });

const BY_JANE = {
  [APPROVAL_ANNOTATIONS.by]: 'jane@example.com',
  [APPROVAL_ANNOTATIONS.at]: '2026-11-26T10:41:00Z',
  [APPROVAL_ANNOTATIONS.comment]: 'CHG-4711\nsecond line',
};

function approveAll(annotations: Readonly<Record<string, string>> = {}): void {
  for (const cluster of CLUSTERS) {
    for (const plan of fleet.cluster(cluster).list(olm('InstallPlan'))) {
      const { name, namespace } = Plan.parse(plan).metadata;
      fleet.cluster(cluster).edit({ ...olm('InstallPlan'), name, namespace }, (object) => {
        object['spec'] = { ...(object['spec'] as object), approved: true };
        object.metadata = { ...object.metadata, annotations: { ...object.metadata.annotations, ...annotations } };
      });
    }
  }
}

const operators = (package_ = PACKAGE) => listed(`operators?package=${package_}&sort=cluster`);

describe('rows of the web console', () => {
  it('show plans that wait, equal ones of two clusters as one class', async () => {
    const row = { standing: 'needs-approval', installed: '', next: `${PACKAGE}.${FIRST}`, approval: 'Manual' };
    await expect
      .poll(() => operators(), PATIENCE)
      .toMatchObject(CLUSTERS.map((cluster) => ({ cluster, ...row, newest: `${PACKAGE}.${SECOND}` })));
    const [one] = await operators();
    expect(one).toMatchObject({ cause: { code: 'approval-needed', kind: 'InstallPlan', names: [PACKAGE] } });
    await expect
      .poll(() => listed('plan-classes'), PATIENCE)
      .toMatchObject([{ clusters: 2, moves: [{ package: PACKAGE, from: '', to: `${PACKAGE}.${FIRST}` }] }]);
  });

  it('say why a Subscription cannot be resolved, with the cause that status and explain name', async () => {
    await expect
      .poll(() => operators('no-such-operator'), PATIENCE)
      .toMatchObject([
        { cluster: 'east', namespace: 'dark', standing: 'failed', cause: { code: 'resolution-failed' } },
      ]);
    expect(await listed('causes')).toContainEqual(
      expect.objectContaining({ standing: 'failed', clusters: 1, operators: 1, example: 'east' }),
    );
    expect(await listed('clusters?sort=cluster')).toMatchObject([
      { cluster: 'east', standing: 'failed', reach: 'fresh', version: 'v1.34.4', catalogs: 1, catalogsWell: 1 },
      { cluster: 'west', standing: 'needs-approval', reach: 'fresh' },
    ]);
    expect(await listed('catalogs')).toMatchObject([{ name: 'olm/chain', packages: 1 }]);
    // They lie in the global catalog namespace, and are seen from all others.
    expect(await listed('catalog-rows')).toMatchObject(['east', 'west'].map((cluster) => ({ cluster, global: true })));
  });

  it('are explained from the cluster: reasons, what to do, and the demands that cannot be met as a tree', async () => {
    expect(await answered('explain', DARK)).toMatchObject({
      because: [expect.stringContaining('has no package no-such-operator')],
      cause: { code: 'resolution-failed' },
      advice: [{ text: 'Check spec.name: catalog olm/chain has no package no-such-operator.', command: '' }],
      conflict: { role: 'desired', children: [{ role: 'obstacle', children: [] }] },
      chain: [{}, {}, { link: 'resolution', state: 'stopped', standing: 'failed' }, {}, {}, { state: 'not-reached' }],
    });
    expect(await answered('explain', LIGHTS)).toMatchObject({
      advice: [
        { command: expect.stringMatching(/^flotilla approve \S+ \S+ -n lights --kubeconfig \S+ --context west$/) },
      ],
      chain: expect.arrayContaining([expect.objectContaining({ link: 'approval', state: 'stopped' })]),
    });
    expect(await answered('object', LIGHTS)).toMatchObject({
      yaml: expect.stringContaining('kind: Subscription'),
      cut: false,
    });
    const { gzip } = z.object({ gzip: z.string() }).parse(await answered('whole-object', LIGHTS));
    expect(gunzipSync(Buffer.from(gzip, 'base64')).toString()).toContain('kind: Subscription');
    expect(await answered('events', DARK)).toMatchObject({ items: expect.any(Array) });
    expect((await question('explain', { ...LIGHTS, name: 'ghost' })).status).toBe(404);
    expect((await question('object', { ...LIGHTS, kind: 'Secret' })).status).toBe(404);
  });

  it('lead to a review of what a plan changes in each cluster', async () => {
    // A row may be a moment behind its Subscription: such a member is not compared, and says so.
    await expect.poll(review, PATIENCE).toMatchObject({
      groups: [
        {
          members: CLUSTERS.map((cluster) => ({ cluster, namespace: 'lights' })),
          differences: expect.arrayContaining([
            expect.objectContaining({ section: 'operators', sign: '+', what: `${PACKAGE}.${FIRST}`, text: 'is new' }),
            expect.objectContaining({ section: 'crds', sign: '+' }),
            expect.objectContaining({ section: 'permissions', sign: '+', risk: true }),
            expect.objectContaining({ section: 'workloads', sign: '+' }),
          ]),
        },
      ],
      unchecked: [],
    });
  });

  it('follow an install and an upgrade', async () => {
    approveAll();
    const waits = { installed: `${PACKAGE}.${FIRST}`, version: FIRST.slice(1), next: `${PACKAGE}.${SECOND}` };
    await expect
      .poll(() => operators(), LONG_PATIENCE)
      .toMatchObject(CLUSTERS.map(() => ({ ...waits, standing: 'needs-approval' })));
    const replaces = { section: 'operators', text: `replaces ${PACKAGE}.${FIRST}`, what: `${PACKAGE}.${SECOND}` };
    await expect.poll(review, PATIENCE).toMatchObject({
      groups: [{ differences: expect.arrayContaining([expect.objectContaining(replaces)]) }],
    });
    const [upgrade] = await listed('plan-classes');
    approveAll(BY_JANE);
    const done = { installed: `${PACKAGE}.${SECOND}`, version: SECOND.slice(1), next: '', plan: '' };
    await expect
      .poll(() => operators(), LONG_PATIENCE)
      .toMatchObject(CLUSTERS.map(() => ({ ...done, standing: 'well' })));
    await expect.poll(() => listed('plan-classes'), PATIENCE).toEqual([]);
    const given = { by: 'jane@example.com', comment: 'CHG-4711 second line' };
    await expect
      .poll(() => listed(`changes?hash=${upgrade?.['hash']}&sort=cluster`), PATIENCE)
      .toMatchObject(CLUSTERS.map((cluster) => ({ cluster, kind: 'approval', to: `${PACKAGE}.${SECOND}`, ...given })));
    // Asks about a cluster without an earlier question: answers are kept for half a minute.
    const asked = { ...LIGHTS, cluster: 'east' };
    expect(await answered('explain', asked)).toMatchObject({
      approval: { ...given, at: BY_JANE[APPROVAL_ANNOTATIONS.at] },
    });
  });

  it('have the service beside them, with its checks and queues', async () => {
    const Hub = z.looseObject({ services: z.array(z.looseObject({})) });
    const services = async () => Hub.parse(await asked('hub')).services;
    const queue = { waiting: expect.any(Number), failed: 0 };
    await expect.poll(services, PATIENCE).toMatchObject([
      {
        service: 'flotilla',
        checks: expect.arrayContaining([{ name: 'redis', ok: true, message: '' }]),
        queues: ['observe', 'resolve', 'solved', 'apply', 'notify'].map((name) => ({ ...queue, queue: name })),
        slowest: expect.arrayContaining([{ cluster: 'west', milliseconds: expect.any(Number) }]),
      },
    ]);
  });

  it('leave what changed behind, when and for whom', async () => {
    const path = 'changes?cluster=west';
    const version = { kind: 'version', namespace: 'lights', package: PACKAGE, by: 'hub' };
    const moves = [
      { ...version, from: `${PACKAGE}.${FIRST}`, to: `${PACKAGE}.${SECOND}` },
      { ...version, from: '', to: `${PACKAGE}.${FIRST}` },
    ];
    const versions = async () => (await listed(path)).filter(({ kind }) => kind === 'version');
    await expect.poll(versions, PATIENCE).toMatchObject(moves);
    expect(await listed(path)).toContainEqual(expect.objectContaining({ kind: 'approval', package: PACKAGE }));
    expect(await asked(path)).toMatchObject({ knownSince: expect.stringMatching(/^\d{4}-/) });
  });

  it('are there again after Redis was emptied', async () => {
    const client = new Redis(redis.url);
    try {
      const before = await listed('operators');
      await client.flushall();
      const rows = async () => (await client.hkeys('flotilla:view:rows:east')).toSorted();
      const all = ['cluster', 'source/olm/chain', 'subscription/dark/no-such-operator'];
      await expect.poll(rows, LONG_PATIENCE).toEqual([...all, `subscription/lights/${PACKAGE}`]);
      expect(await listed('operators')).toHaveLength(before.length);
    } finally {
      client.disconnect();
    }
  });

  it('end with the cluster', async () => {
    const config = Contexts.parse(load(fleet.kubeconfig()));
    const contexts = config.contexts.filter(({ name }) => name !== 'west');
    await writeFile(kubeconfig(), dump({ ...config, contexts }), { mode: 0o600 });
    await expect.poll(() => listed('clusters'), LONG_PATIENCE).toMatchObject([{ cluster: 'east' }]);
    expect(await operators()).toHaveLength(1);
  });
});
