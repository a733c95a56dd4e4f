import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { dump, load } from 'js-yaml';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { loadCatalog } from '#core/catalog/load/load-catalog';
import { CSV_API } from '#core/kernel/api/cluster-service-version';
import { loadClusters } from '#platform/kube/access/load-clusters';
import { findRedis } from '#platform/redis/local/find-redis';
import { type CatalogServer, serveCatalog } from '#platform/registry/grpc/grpc-catalog-server';
import { serveCrds } from '#testing/cluster/served-crds';
import { type SimulatedFleet, startSimulatedFleet } from '#testing/cluster/simulated-fleet';
import { PATIENCE } from '#testing/patience';
import { put } from '../../apps/cli/src/clusters/live-objects.fixture.js';
import { runFlotilla } from '../../apps/cli/src/run-flotilla.fixture.js';
import { CLASSIC_TROUBLES, V1_TROUBLES } from './console-support/troubles.js';
import { chainCatalogText, VERSIONS } from './ownership-support/chain-fleet.js';
import { type RunningUp, runUp } from './up-support/run-up.js';

const CLUSTER = 'east';
const Contexts = z.looseObject({ contexts: z.array(z.looseObject({ context: z.looseObject({}) })) });
const Cause = z.looseObject({ code: z.string(), kind: z.string(), names: z.array(z.string()), text: z.string() });
const Row = z.looseObject({
  ...{ id: z.string(), namespace: z.string(), name: z.string(), standing: z.string() },
  cause: Cause.optional(),
  stillRuns: z.string().optional(),
});
const Placed = z.looseObject({ namespace: z.string(), name: z.string() });
const Items = z.looseObject({ items: z.array(z.unknown()) });
const Finding = z.looseObject({
  ...{ kind: z.string(), namespace: z.string().optional(), name: z.string() },
  ...{ standing: z.string(), code: z.string() },
  ...{ because: z.array(z.string()), todo: z.array(z.string()) },
  stillRuns: z.string().optional(),
  resolution: z.looseObject({ text: z.string() }).optional(),
});
const Explained = z.looseObject({
  cause: Cause.optional(),
  because: z.array(z.string()),
  stillRuns: z.string().optional(),
  advice: z.array(z.looseObject({ text: z.string(), command: z.string() })),
});
const Share = z.looseObject({ well: z.int(), of: z.int() });
const Status = z.looseObject({
  clusters: z.array(z.looseObject({ catalogs: Share })),
  waiting: z.array(Finding),
});

/**
 * Returns a kubeconfig of a cluster under OLM's own control. The hub only reads it, so that every trouble
 * stays.
 */
function observed(kubeconfig: string): string {
  const config = Contexts.parse(load(kubeconfig));
  const extensions = [{ name: 'flotilla', extension: { observed: true } }];
  return dump({
    ...config,
    contexts: config.contexts.map((one) => ({ ...one, context: { ...one.context, extensions } })),
  });
}

describe('the command and the console, about one cluster with every kind of trouble', () => {
  let folder = '';
  let fleet: SimulatedFleet;
  let catalogs: CatalogServer;
  let redis: Awaited<ReturnType<typeof findRedis>>;
  let up: RunningUp;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'flotilla-stories-'));
    fleet = await startSimulatedFleet({ clusters: [CLUSTER] });
    const bytes = Buffer.from(await chainCatalogText(VERSIONS));
    catalogs = await serveCatalog(await loadCatalog([{ path: 'catalog.json', bytes }]), { port: 0 });
    redis = await findRedis({ log: () => undefined, preferExisting: false });
    const kubeconfig = join(folder, 'kubeconfig');
    await writeFile(kubeconfig, observed(fleet.kubeconfig()), { mode: 0o600 });
    await plant(kubeconfig);
    up = runUp(['--kubeconfig', kubeconfig], {
      FLOTILLA_CONTENT_DIR: join(folder, 'content'),
      FLOTILLA_CONSOLE_KEY_FILE: join(folder, 'console-key'),
      FLOTILLA_REDIS_URL: redis.url,
    });
    await up.running();
    vi.stubEnv('FLOTILLA_KUBECONFIG', kubeconfig);
    const all = [...CLASSIC_TROUBLES, ...V1_TROUBLES].filter(({ name }) => !name.startsWith('cat-')).length;
    await vi.waitFor(async () => expect(await rows('operators')).toHaveLength(all), PATIENCE);
    return () => vi.unstubAllEnvs();
  });
  afterAll(async () => {
    await up?.kill();
    await catalogs?.stop();
    await fleet?.stop();
    await redis?.stop();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  });

  async function plant(kubeconfig: string): Promise<void> {
    const [client] = await loadClusters({ kubeconfigs: [kubeconfig], fieldManager: 'olm' });
    if (client === undefined) throw new RangeError('a fleet without clusters');
    await serveCrds(client);
    await client.close();
    const east = fleet.cluster(CLUSTER);
    const namespaces = ['olm', 'mills', ...CLASSIC_TROUBLES.map(({ name }) => name)];
    for (const name of namespaces) east.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
    put(east, {
      apiVersion: 'operators.coreos.com/v1alpha1',
      kind: 'CatalogSource',
      metadata: { name: 'samples', namespace: 'olm' },
      spec: { sourceType: 'grpc', address: `127.0.0.1:${catalogs.port}` },
      status: { connectionState: { lastObservedState: 'READY' } },
    });
    east.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings', namespace: 'mills' } });
    for (const { objects } of [...CLASSIC_TROUBLES, ...V1_TROUBLES]) for (const one of objects) put(east, one);
  }

  async function asked(path: string, body?: object): Promise<unknown> {
    const [, origin = '', key = ''] = /^Console (\S+)\/#key=(\S+)/m.exec(up.said.out) ?? [];
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const request = body === undefined ? { headers } : { method: 'POST', headers, body: JSON.stringify(body) };
    const answer = await fetch(`${origin}/api/v1/${path}`, request);
    expect(answer.status, `${path}: ${await answer.clone().text()}`).toBe(200);
    return answer.json();
  }
  const rows = async (list: string) =>
    Items.parse(await asked(`${list}?limit=200`)).items.map((item) => Row.parse(item));
  const command = async (...words: readonly string[]): Promise<unknown> => {
    const { out, err } = await runFlotilla([...words, '-o', 'json']);
    expect(err).toBe('');
    return JSON.parse(out);
  };
  const explained = async (kind: string, name: string, namespace?: string) =>
    Finding.parse(await command('explain', kind, name, ...(namespace ? ['-n', namespace] : [])));

  /** A row has the status and the code that the command names, and as much of its words as it may hold. */
  function expectSame(said: z.infer<typeof Finding>, row: z.infer<typeof Row>): void {
    const { cause, standing } = row;
    expect({ code: cause?.code ?? 'well', standing }).toEqual({ code: said.code, standing: said.standing });
    expect(row.stillRuns).toBe(said.stillRuns);
    if (cause === undefined) return;
    // The command names the failed InstallPlan; the list of causes gathers those of many clusters.
    const words = said.because.join(' ').replace(/^Its ([A-Z]\w+) \S+(?= failed\.)/, 'The $1');
    // Next to its object the command says "It"; the console's list of causes names the object.
    const text = cause.text.replace(/…$/, '');
    const besideObject = text.replace(/^(?:The [A-Z]\w+|[A-Z]\w+ \S+)(?= \w)/, 'It');
    expect(words).toContain(words.includes(text) ? text : besideObject);
  }

  async function expectSamePage(said: z.infer<typeof Finding>, address: object): Promise<void> {
    const page = Explained.parse(await asked('questions/explain', { cluster: CLUSTER, ...address }));
    expect(page.because).toEqual(said.because);
    expect(page.stillRuns).toBe(said.stillRuns);
    const advice = page.advice.map(({ text, command }) => [text, command].filter((part) => part !== '').join(' '));
    const plain = (one: string) =>
      one.replaceAll(/[.:] /g, ' ').replaceAll(/ (-C east|--context east|--kubeconfig \S+)/g, '');
    if (said.resolution === undefined) expect(advice.map(plain)).toEqual(said.todo.map(plain));
    else for (const { text } of page.advice) expect(said.resolution.text).toContain(text);
  }

  it.each(CLASSIC_TROUBLES)('say the same of the Subscription in $name: $code', async ({ name: namespace, code }) => {
    const said = await explained('subscription', 'mill', namespace);
    expect(said.code, JSON.stringify(said)).toBe(code);
    if (namespace.startsWith('upgrade-')) expect(said.stillRuns).toBe('mill.v0.9.0');
    const row = (await rows(`operators`)).find((one) => one.namespace === namespace);
    expectSame(said, Row.parse(row));
    await expectSamePage(said, { kind: 'Subscription', namespace, name: 'mill' });
  });

  it('say the same of every ClusterExtension', async () => {
    const extensions = V1_TROUBLES.filter(({ name }) => name.startsWith('ext-'));
    const all = await rows('operators');
    // All at once: the command asks the registry of each ClusterCatalog, and waits a moment for each silent
    // one.
    const told = await Promise.all(extensions.map(({ name }) => explained('extension', name)));
    for (const [at, { name, code }] of extensions.entries()) {
      const said = Finding.parse(told[at]);
      expect(said.code, name).toBe(code);
      expectSame(said, Row.parse(all.find((one) => one.id === `extension/${name}`)));
      await expectSamePage(said, { kind: 'ClusterExtension', namespace: '', name });
    }
  });

  it('say the same of every InstallPlan that is not complete', async () => {
    const plans = Items.parse(await asked('plans')).items.map((item) => Placed.parse(item));
    expect(plans.length).toBeGreaterThan(7);
    for (const { namespace, name } of plans)
      await expectSamePage(await explained('installplan', name, namespace), { kind: 'InstallPlan', namespace, name });
  });

  const operators = CLASSIC_TROUBLES.flatMap(({ objects }) => objects.filter(({ kind }) => kind === CSV_API.kind));
  it.each(operators.map(({ metadata: { namespace = '', name = '' } }) => ({ namespace, name })))(
    'say the same of ClusterServiceVersion $name in $namespace',
    async ({ namespace, name }) => {
      const said = await explained('csv', name, namespace);
      await expectSamePage(said, { kind: CSV_API.kind, namespace, name });
    },
  );

  it('say the same of each catalog', async () => {
    const all = await rows('catalog-rows');
    expect(all.map(({ name }) => name)).toContain('cat-down');
    for (const row of all) {
      const kind = row.namespace === '' ? 'clustercatalog' : 'catalogsource';
      const said = await explained(kind, row.name, row.namespace);
      expectSame(said, row);
      const address = { kind: row.namespace === '' ? 'ClusterCatalog' : 'CatalogSource', namespace: row.namespace };
      await expectSamePage(said, { ...address, name: row.name });
    }
  });

  it('count the same, and neither names a cause that the other one does not have', async () => {
    const status = Status.parse(await command('status'));
    const [cluster] = Items.parse(await asked('clusters')).items;
    expect(cluster).toMatchObject({
      catalogsWell: status.clusters[0]?.catalogs.well,
      catalogs: status.clusters[0]?.catalogs.of,
    });
    const causes = Items.parse(await asked('causes?limit=200')).items.map((item) =>
      z.looseObject({ standing: z.string(), cause: Cause }).parse(item),
    );
    const pairs = (all: readonly string[]) => [...new Set(all)].toSorted();
    expect(pairs(causes.map(({ standing, cause }) => `${standing} ${cause.code}`))).toEqual(
      pairs(status.waiting.map(({ standing, code }) => `${standing} ${code}`)),
    );
  });
});
