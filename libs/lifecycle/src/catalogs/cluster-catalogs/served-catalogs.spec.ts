import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CLUSTER_CATALOG_API, ClusterCatalog } from '#core/kernel/api/cluster-catalog';
import { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { ManualClock } from '#platform/clock/manual-clock';
import { MemoryContentStore } from '#platform/content/memory-content-store';
import { HttpKubeClient } from '#platform/kube/client/http-kube-client';
import { fixedCredentials } from '#platform/kube/transport/credentials';
import { HttpTransport } from '#platform/kube/transport/http-transport';
import { MetasIndexFiles } from '#platform/metas/index-files';
import { CATALOG_LABEL } from '#platform/registry/catalog-image';
import { HttpRegistryClient } from '#platform/registry/http-registry-client';
import { buildImage } from '#platform/registry/image-builder';
import { silentLog } from '#platform/telemetry/log.port';
import { type SimulatedFleet, startSimulatedFleet } from '#testing/cluster/simulated-fleet';
import { aWhile, PATIENCE } from '#testing/patience';
import { type InMemoryRegistry, startRegistry } from '#testing/registry/in-memory-registry';
import { CatalogContents } from '../contents/catalog-contents.js';
import { readCatalog } from '../contents/read-catalog.js';
import { loadImageJsonl } from './image-jsonl.js';
import { ServedCatalogs } from './served-catalogs.js';
import { SharedMetas } from './shared-metas.js';

const REF = { ...CLUSTER_CATALOG_API, name: 'shop' };
const MINUTE = 60_000;
let fleet: SimulatedFleet;
let registry: InMemoryRegistry;
let client: HttpKubeClient;
let clock: ManualClock;
let store: MemoryContentStore;
let folder: string;
let crd: KubernetesObject;
const started: ServedCatalogs[] = [];

const cluster = () => fleet.cluster('harbour');
const stored = () => ClusterCatalog.parse(cluster().get(REF));
const statusWrites = () => cluster().requests.filter(({ subresource }) => subresource === 'status').length;
/** The conditions as users read them. */
const reported = () =>
  (stored().status?.conditions ?? []).map(
    ({ type, status, reason, message }) => `${type}=${status} ${reason}: ${message}`,
  );
const SUCCEEDED = 'Progressing=True Succeeded: Successfully unpacked and stored content from resolved source';
const SERVING = 'Serving=True Available: Serving desired content from resolved source';

beforeEach(async () => {
  [fleet, registry] = await Promise.all([startSimulatedFleet({ clusters: ['harbour'] }), startRegistry()]);
  folder = await mkdtemp(join(tmpdir(), 'served-catalogs-'));
  clock = new ManualClock();
  store = new MemoryContentStore();
  const headers = { authorization: `Bearer ${cluster().token}` };
  const credentials = fixedCredentials({ headers, tls: { rejectUnauthorized: false } });
  const transport = new HttpTransport({ server: new URL(cluster().url), credentials });
  client = new HttpKubeClient({ cluster: 'harbour', transport, fieldManager: 'test' });
  crd = KubernetesObject.parse(load(await readFile('k8s/crds/olm.operatorframework.io_clustercatalogs.yaml', 'utf8')));
});

afterEach(async () => {
  await Promise.all(started.splice(0).map((served) => served.stop()));
  await Promise.all([client.close(), fleet.stop(), registry.stop(), rm(folder, { recursive: true, maxRetries: 5 })]);
});

async function define(): Promise<void> {
  cluster().create(crd);
  await expect.poll(() => client.serves(CLUSTER_CATALOG_API), PATIENCE).toBe(true);
}

const pushed = async (tag: string, yaml: string, labels: Record<string, string> = { [CATALOG_LABEL]: '/configs' }) =>
  registry.put(
    `shelf/shop:${tag}`,
    await buildImage({ files: [{ path: 'configs/a.yaml', bytes: Buffer.from(yaml) }], labels }),
  );

const desired = (ref: string, more: Readonly<Record<string, unknown>> = {}) => ({
  source: { type: 'Image', image: { ref: `${registry.host}/shelf/shop${ref}`, ...more } },
});

const create = (spec: unknown, metadata: Readonly<Record<string, unknown>> = {}) =>
  cluster().create(KubernetesObject.parse({ ...CLUSTER_CATALOG_API, metadata: { name: 'shop', ...metadata }, spec }));

/** Reads in this thread what was pulled; what was read is found again after a start, as in the poller. */
const contents = (images: HttpRegistryClient) =>
  new CatalogContents(images, store, folder, { read: (request) => readCatalog(request) });

/** The poller's work for the cluster, from its start on. */
function start(): ServedCatalogs {
  const images = new HttpRegistryClient({ limits: { attempts: 1 } });
  const deps = { registry: images, contents: contents(images), credentials: async () => ({}) };
  const served = new ServedCatalogs({
    client,
    clock,
    log: silentLog,
    metas: new SharedMetas(store, MetasIndexFiles.open(folder, clock.now())),
    load: (ref) => loadImageJsonl(ref, deps),
    random: () => 0.5,
    contentUrl: 'https://hub.example',
  });
  started.push(served);
  served.start();
  return served;
}

async function textOf(served: ServedCatalogs): Promise<string | undefined> {
  const content = served.find('shop')?.content;
  if (content === undefined) return undefined;
  return Buffer.concat(await Array.fromAsync(content.read([{ start: 0, length: content.size }]))).toString();
}

describe('the ClusterCatalogs of a cluster', () => {
  it('serves what a tag names and reports it as OLM does, and labels the catalog', async () => {
    await define();
    const digest = await pushed('v1', 'schema: note\nname: one\n');
    create(desired(':v1'));
    const served = start();
    await expect.poll(reported, PATIENCE).toEqual([SUCCEEDED, SERVING]);
    expect(stored().status).toMatchObject({
      resolvedSource: { type: 'Image', image: { ref: `${registry.host}/shelf/shop@${digest}` } },
      urls: { base: 'https://hub.example/clusters/harbour/catalogs/shop' },
      lastUnpacked: '2026-01-01T00:00:00Z',
    });
    expect(await textOf(served)).toBe('{"name":"one","schema":"note"}\n');
    await expect
      .poll(() => stored().metadata.labels, PATIENCE)
      .toEqual({ 'olm.operatorframework.io/metadata.name': 'shop' });
    expect(stored().metadata.finalizers).toBeUndefined();
  });

  it('keeps its content while it is paused, over a start of the poller too, and says so', async () => {
    await define();
    const first = await pushed('v1', 'schema: note\nname: one\n');
    create(desired(':v1', { pollIntervalMinutes: 2 }));
    const served = start();
    await expect.poll(reported, PATIENCE).toContain(SERVING);
    cluster().edit({ ...CLUSTER_CATALOG_API, name: 'shop' }, ({ metadata }) => {
      metadata.annotations = { 'flotilla.dev/paused': 'true' };
    });
    const message = `the content ${registry.host}/shelf/shop@${first} stays in use`;
    const status = () => clock.advance(1_000).then(() => JSON.stringify(stored().status));
    await expect.poll(status, PATIENCE).toContain(message);
    await pushed('v1', 'schema: note\nname: two\n');
    await clock.advance(10 * MINUTE);
    expect(await textOf(served)).toContain('one');
    await served.stop();
    const another = start();
    await expect.poll(() => textOf(another), PATIENCE).toContain('one');
    cluster().edit({ ...CLUSTER_CATALOG_API, name: 'shop' }, ({ metadata }) => {
      metadata.annotations = {};
    });
    await expect.poll(() => textOf(another), PATIENCE).toContain('two');
  });

  it('follows a tag that is pushed again, once the interval is over', async () => {
    await define();
    await pushed('v1', 'schema: note\nname: one\n');
    create(desired(':v1', { pollIntervalMinutes: 2 }));
    const served = start();
    await expect.poll(reported, PATIENCE).toContain(SERVING);
    const digest = await pushed('v1', 'schema: note\nname: two\n');
    await clock.advance(MINUTE);
    expect(await textOf(served)).toContain('one');
    await expect.poll(() => clock.advance(MINUTE + 2_000).then(() => textOf(served)), PATIENCE).toContain('two');
    await expect.poll(() => stored().status?.resolvedSource?.image?.ref, PATIENCE).toContain(digest);
  });

  it('asks the cluster nothing when a poll brings no news', async () => {
    await define();
    await pushed('v1', 'schema: note\nname: one\n');
    create(desired(':v1', { pollIntervalMinutes: 1 }));
    start();
    await expect.poll(reported, PATIENCE).toContain(SERVING);
    await expect.poll(() => stored().metadata.labels, PATIENCE).toBeDefined();
    await clock.advance(10);
    cluster().requests.clear();
    const before = registry.requests.total;
    await expect
      .poll(() => clock.advance(30_000).then(() => registry.requests.total), PATIENCE)
      .toBeGreaterThan(before + 1);
    expect(cluster().requests.filter(({ verb }) => verb !== 'watch' && verb !== 'list')).toEqual([]);
  });

  it('keeps what it has when the tag turns bad, says so, and recovers', async () => {
    await define();
    const good = await pushed('v1', 'schema: note\nname: one\n');
    create(desired(':v1', { pollIntervalMinutes: 1 }));
    const served = start();
    await expect.poll(reported, PATIENCE).toContain(SERVING);
    await pushed('v1', 'schema: note\nname: 7\n');
    await expect
      .poll(() => clock.advance(MINUTE + 2_000).then(reported), PATIENCE)
      .toEqual([
        expect.stringMatching(/^Progressing=True Retrying: error storing fbc: a\.yaml.*"name".*string/),
        SERVING,
      ]);
    expect(await textOf(served)).toContain('one');
    expect(stored().status?.resolvedSource?.image?.ref).toContain(good);
    await pushed('v1', 'schema: note\nname: three\n');
    await expect.poll(() => clock.advance(10_000).then(reported), PATIENCE).toEqual([SUCCEEDED, SERVING]);
    expect(await textOf(served)).toContain('three');
  });

  it.each([
    { by: 'tag', condition: 'Progressing=True Retrying' },
    { by: 'digest', condition: 'Progressing=False Blocked' },
  ])('an image by $by that is no catalog: $condition', async ({ by, condition }) => {
    await define();
    const digest = await pushed('v1', 'schema: note\n', {});
    create(desired(by === 'tag' ? ':v1' : `@${digest}`));
    const served = start();
    const missing = `source catalog content: catalog image is missing the required label "${CATALOG_LABEL}"`;
    await expect.poll(reported, PATIENCE).toEqual([`${condition}: ${missing}`]);
    expect(served.find('shop')).toBeUndefined();
  });

  it('stops serving while it is switched off, and serves again afterwards', async () => {
    await define();
    await pushed('v1', 'schema: note\nname: one\n');
    create(desired(':v1'));
    const served = start();
    await expect.poll(reported, PATIENCE).toContain(SERVING);
    await client.patch(REF, { spec: { availabilityMode: 'Unavailable' } });
    const off = 'Catalog availability mode is set to Unavailable';
    await expect
      .poll(reported, PATIENCE)
      .toEqual([`Progressing=True Succeeded: ${off}`, `Serving=False UserSpecifiedUnavailable: ${off}`]);
    expect(stored().status).toEqual({ conditions: stored().status?.conditions });
    expect(served.find('shop')).toBeUndefined();
    await client.patch(REF, { spec: { availabilityMode: 'Available' } });
    await expect.poll(reported, PATIENCE).toEqual([SUCCEEDED, SERVING]);
    expect(stored().status?.conditions?.map(({ observedGeneration }) => observedGeneration)).toEqual([3, 3]);
  });

  it('serves nothing of a deleted catalog, and releases one that catalogd held back', async () => {
    await define();
    await pushed('v1', 'schema: note\nname: one\n');
    create(desired(':v1'), { finalizers: ['olm.operatorframework.io/delete-server-cache'] });
    const served = start();
    await expect.poll(reported, PATIENCE).toContain(SERVING);
    cluster().delete(REF);
    await expect.poll(() => served.find('shop'), PATIENCE).toBeUndefined();
    await expect.poll(() => cluster().get(REF), PATIENCE).toBeUndefined();
  });

  it('begins when the kind comes to the cluster', async () => {
    const served = start();
    await clock.advance(1_000);
    await define();
    await pushed('v1', 'schema: note\nname: one\n');
    create(desired(':v1'));
    await expect.poll(() => clock.advance(5_000).then(() => textOf(served)), PATIENCE).toContain('one');
  });

  it('starts anew without news', async () => {
    await define();
    await pushed('v1', 'schema: note\nname: one\n');
    create(desired(':v1'));
    const first = start();
    await expect.poll(reported, PATIENCE).toContain(SERVING);
    await expect.poll(() => stored().metadata.labels, PATIENCE).toBeDefined();
    await first.stop();
    const before = { resourceVersion: stored().metadata.resourceVersion, writes: statusWrites() };
    await clock.advance(MINUTE);
    const second = start();
    await expect.poll(() => textOf(second), PATIENCE).toContain('one');
    expect(second.find('shop')?.modified.toISOString()).toBe('2026-01-01T00:00:00.000Z');
    await aWhile();
    expect({ resourceVersion: stored().metadata.resourceVersion, writes: statusWrites() }).toEqual(before);
  });

  it('starts anew with the registry away and goes on with what it holds', async () => {
    await define();
    const digest = await pushed('v1', 'schema: note\nname: one\n');
    create(desired(':v1'));
    const first = start();
    await expect.poll(reported, PATIENCE).toContain(SERVING);
    await first.stop();
    registry.failNext({ status: 503, times: 100 });
    const second = start();
    await expect
      .poll(reported, PATIENCE)
      .toEqual([expect.stringMatching(/^Progressing=True Retrying: source catalog content: .*503/), SERVING]);
    expect(await textOf(second)).toContain('one');
    expect(stored().status?.resolvedSource?.image?.ref).toContain(digest);
  });

  it('says that nothing is served any more where a start finds neither registry nor content', async () => {
    await define();
    await pushed('v1', 'schema: note\nname: one\n');
    create(desired(':v1'));
    const first = start();
    await expect.poll(reported, PATIENCE).toContain(SERVING);
    await first.stop();
    store = new MemoryContentStore();
    registry.failNext({ status: 503, times: 100 });
    start();
    await expect.poll(reported, PATIENCE).toEqual([expect.stringContaining('Retrying'), 'Serving=False Unavailable: ']);
    expect(stored().status?.urls).toBeUndefined();
  });

  it('puts right what others wrote into the status', async () => {
    await define();
    await pushed('v1', 'schema: note\nname: one\n');
    create(desired(':v1'));
    start();
    await expect.poll(reported, PATIENCE).toContain(SERVING);
    const live = stored();
    const foreign = {
      type: 'Healthy',
      status: 'True',
      reason: 'Odd',
      message: '',
      lastTransitionTime: '2026-01-01T00:00:00Z',
    };
    await client.updateStatus({
      ...live,
      status: { ...live.status, conditions: [foreign], urls: { base: 'https://other.example' } },
    });
    await expect.poll(() => clock.advance(5_000).then(reported), PATIENCE).toEqual([SUCCEEDED, SERVING]);
    expect(stored().status?.urls?.base).toBe('https://hub.example/clusters/harbour/catalogs/shop');
  });

  it('writes a status again that could not be written', async () => {
    await define();
    await pushed('v1', 'schema: note\nname: one\n');
    create(desired(':v1'));
    for (let n = 0; n < 3; n += 1) cluster().failNext({ verb: 'update', subresource: 'status' }, 500, 'InternalError');
    const served = start();
    await expect.poll(() => textOf(served), PATIENCE).toContain('one');
    expect(reported()).toEqual([]);
    await expect.poll(() => clock.advance(5_000).then(reported), PATIENCE).toContain(SERVING);
  });

  it.each([
    { spec: {}, says: 'unknown source type ""' },
    { spec: { source: 'text' }, says: 'spec.source is a text; a map is expected' },
    {
      spec: { source: { type: 'Image', image: { ref: 7 } } },
      says: 'spec.source.image.ref is the number 7; a text is expected: quote it',
    },
  ])('says what is wrong with a catalog that cannot be read, and serves the others: $spec', async ({ spec, says }) => {
    // A definition that is not OLM's lets it through.
    for (const version of Object(crd['spec']).versions)
      version.schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
    await define();
    await pushed('v1', 'schema: note\nname: one\n');
    const labels = { 'olm.operatorframework.io/metadata.name': 'odd' };
    cluster().create({ ...CLUSTER_CATALOG_API, metadata: { name: 'odd', labels }, spec });
    cluster().create({ ...CLUSTER_CATALOG_API, metadata: { name: 'shop' }, spec: desired(':v1') });
    start();
    await expect.poll(reported, PATIENCE).toEqual([SUCCEEDED, SERVING]);
    const conditions = () => Object(cluster().get({ ...REF, name: 'odd' })?.['status']).conditions;
    await expect.poll(conditions, PATIENCE).toEqual([
      expect.objectContaining({
        type: 'Progressing',
        status: 'False',
        reason: 'Blocked',
        message: expect.stringContaining(says),
      }),
    ]);
  });
});
