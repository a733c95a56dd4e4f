import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packTar } from 'modern-tar';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { CatalogSource } from '#core/kernel/api/catalog-source';
import type { Owner } from '#core/kernel/fairness/owner';
import { SystemClock } from '#platform/clock/system-clock';
import { DiskContentStore } from '#platform/content/disk-content-store';
import { WorkRoom } from '#platform/content/work-room';
import { Demand } from '#platform/fairness/demand';
import { FairLimiter } from '#platform/fairness/fair-limiter';
import { Lanes } from '#platform/fairness/lanes';
import { CATALOG_LABEL } from '#platform/registry/catalog-image';
import { HttpRegistryClient } from '#platform/registry/http-registry-client';
import { buildImage } from '#platform/registry/image-builder';
import { PATIENCE, pause } from '#testing/patience';
import { type InMemoryRegistry, startRegistry } from '#testing/registry/in-memory-registry';
import { CatalogContents } from '../../libs/lifecycle/src/catalogs/contents/catalog-contents.js';
import { CatalogReader } from '../../libs/lifecycle/src/catalogs/contents/catalog-reader.js';
import { readCatalog } from '../../libs/lifecycle/src/catalogs/contents/read-catalog.js';
import { CatalogRefresh } from '../../libs/lifecycle/src/catalogs/sources/catalog-refresh.js';
import { SharedCatalogs } from '../../libs/lifecycle/src/catalogs/sources/shared-catalogs.js';
import { packageYaml } from '../story/bad-input-fixture.js';
import { type StallingRegistry, startStallingRegistry } from './starvation-support/stalling-registry.js';

const MiB = 1024 * 1024;
const innocent: Owner = { cluster: 'east', namespace: 'apps' };
const tenant = (at: number): Owner => ({ cluster: 'west', namespace: `tenant-${at % 3}` });

let folder: string;
let good: InMemoryRegistry;
let hostile: StallingRegistry;
let pulls: FairLimiter;
let room: WorkRoom;
let contents: CatalogContents;
const gone: AbortController[] = [];

beforeEach(async () => {
  const yaml = Buffer.alloc(4 * MiB, '# a comment that fills a catalog\n');
  const layer = await packTar([{ header: { name: 'configs/a.yaml', type: 'file', size: yaml.length }, body: yaml }]);
  [folder, good, hostile] = await Promise.all([
    mkdtemp(join(tmpdir(), 'flotilla-starvation-')),
    startRegistry(),
    startStallingRegistry(layer, 3 * MiB),
  ]);
  const files = [{ path: 'configs/a.yaml', bytes: Buffer.from(packageYaml('fine', 'x/y:1')) }];
  good.put('open/catalog:1', await buildImage({ files, labels: { [CATALOG_LABEL]: '/configs' } }));
  pulls = new FairLimiter({ total: 5, perCluster: 4, perNamespace: 2 });
  contents = await contentsWith(100 * MiB);
});

/** The catalogs of a poller that may unpack so many bytes at the same time. */
async function contentsWith(bytes: number): Promise<CatalogContents> {
  room = new WorkRoom(bytes);
  const store = await DiskContentStore.open(join(folder, 'content'));
  // Registries of many hosts: the limit of one host does not apply then.
  const registry = new HttpRegistryClient({ limits: { transfersPerHost: 1_000, attempts: 1 } });
  const reader = { read: (request: Parameters<typeof readCatalog>[0]) => readCatalog(request) };
  return new CatalogContents(registry, store, join(folder, 'poller'), reader, { pulls, room });
}
afterEach(async () => {
  for (const end of gone.splice(0)) end.abort();
  await Promise.all([good.stop(), hostile.stop()]);
  await expect.poll(() => readdir(join(folder, 'poller', 'work')).catch(() => []), PATIENCE).toEqual([]);
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
});

/** A load with its result, wanted until the controller is aborted. */
function load(image: string, owner: Owner): Readonly<{ end: AbortController; outcome: Promise<string> }> {
  const end = new AbortController();
  gone.push(end);
  const outcome = contents.ofImage(image, { demand: Demand.of(owner, end.signal) }).then(
    ({ packages }) => `${packages} package`,
    (error: Error) => error.message,
  );
  return { end, outcome };
}
const attack = (count: number) =>
  Array.from({ length: count }, (_, at) => load(`${hostile.host}/shop-${at}/catalog:1`, tenant(at)));

describe('forty CatalogSources of one cluster whose registry sends without end', () => {
  it('get their share of downloads, and no more; a catalog of another cluster is there while they go on', async () => {
    attack(40);
    await expect.poll(() => hostile.open(), PATIENCE).toBe(4);
    expect(await load(`${good.host}/open/catalog:1`, innocent).outcome).toBe('1 package');
    expect({ open: hostile.open(), asked: hostile.asked(), waiting: pulls.waiting }).toEqual({
      open: 4,
      asked: 4,
      waiting: 36,
    });
  });

  it('leave turns to another namespace of their own cluster', async () => {
    const attacks = attack(40);
    const other = load(`${good.host}/open/catalog:1`, { cluster: 'west', namespace: 'apps' });
    await expect.poll(() => hostile.open(), PATIENCE).toBe(4);
    for (const { end } of attacks) {
      if (await Promise.race([other.outcome.then(() => true), pause(20)])) break;
      end.abort();
    }
    expect(await other.outcome).toBe('1 package');
  });

  it('are ended when they are deleted: connections, queue and disk are free', async () => {
    const attacks = attack(12);
    await expect.poll(() => hostile.open(), PATIENCE).toBe(4);
    for (const { end } of attacks) end.abort();
    await Promise.all(attacks.map(({ outcome }) => outcome));
    await expect.poll(() => ({ open: hostile.open(), bytes: room.bytes }), PATIENCE).toEqual({ open: 0, bytes: 0 });
    expect({ waiting: pulls.waiting, running: pulls.running, asked: hostile.asked() }).toEqual({
      waiting: 0,
      running: 0,
      asked: 4,
    });
  });

  it('hold no more of the disk than they may together, and a small catalog of another cluster finds room', async () => {
    contents = await contentsWith(10 * MiB);
    const attacks = attack(4);
    const first = await Promise.race(attacks.map(({ outcome }) => outcome));
    expect(first).toMatch(/was cancelled after \d+ bytes.*half of FLOTILLA_CONTENT_MAX_BYTES/);
    expect(room.bytes).toBeLessThanOrEqual(10 * MiB);
    expect(await load(`${good.host}/open/catalog:1`, innocent).outcome).toBe('1 package');
  });
});

describe('a CatalogSource with a download under way', () => {
  const refreshOf = (image: string) => {
    const refresh = new CatalogRefresh(sourceOf(image), {
      cluster: 'west',
      catalogs: new SharedCatalogs({ contents, clock: new SystemClock(), random: Math.random }),
      clock: new SystemClock(),
      random: Math.random,
      strict: false,
      access: {
        credentials: async () => ({}),
        configMap: async () => ({ uid: '', resourceVersion: '', data: {} }),
        watchConfigMap: () => () => undefined,
      },
      onState: () => undefined,
    });
    const end = new AbortController();
    end.signal.addEventListener('abort', () => refresh.stop());
    gone.push(end);
    return refresh;
  };
  const sourceOf = (image: string): CatalogSource => ({
    apiVersion: 'operators.coreos.com/v1alpha1',
    kind: 'CatalogSource',
    metadata: { name: 'shelf', namespace: 'tenant' },
    spec: { sourceType: 'grpc', image },
  });

  it('that is deleted ends it', async () => {
    const refresh = refreshOf(`${hostile.host}/a/b:1`);
    await expect.poll(() => hostile.open(), PATIENCE).toBe(1);
    refresh.stop();
    await expect.poll(() => hostile.open(), PATIENCE).toBe(0);
  });

  it('whose image changes ends it, and has the new image; other changes leave it alone', async () => {
    const refresh = refreshOf(`${hostile.host}/a/b:1`);
    await expect.poll(() => hostile.open(), PATIENCE).toBe(1);
    const before = sourceOf(`${hostile.host}/a/b:1`);
    refresh.update({ ...before, spec: { ...before.spec, displayName: 'ImageStore' } });
    expect(hostile.open()).toBe(1);
    refresh.update(sourceOf(`${good.host}/open/catalog:1`));
    await expect.poll(() => refresh.loaded?.packages, PATIENCE).toBe(1);
    expect({ open: hostile.open(), asked: hostile.asked(), failure: refresh.failure }).toEqual({
      open: 0,
      asked: 1,
      failure: undefined,
    });
  });
});

describe('catalogs that take long to read', () => {
  /** As the thread of the poller, but it never ends reading a catalog with a file `slow.yaml`. */
  const reading = new URL('../../dist/libs/lifecycle/src/catalogs/contents/read-catalog.js', import.meta.url);
  const stub = `
    import { existsSync } from 'node:fs';
    import { parentPort } from 'node:worker_threads';
    const { readCatalog } = await import(${JSON.stringify(reading.href)});
    parentPort.on('message', async (request) => {
      if (!existsSync(request.directory + '/slow.yaml')) parentPort.postMessage({ read: await readCatalog(request) });
    });`;

  it('leave a thread to those of another cluster, and are ended when they are not wanted any more', async () => {
    const first = new FairLimiter({ total: 3, perCluster: 2, perNamespace: 2 });
    const slow = new FairLimiter({ total: 1, perCluster: 1, perNamespace: 1 });
    const stubUrl = new URL(`data:text/javascript,${encodeURIComponent(stub)}`);
    const reader = new CatalogReader({ lanes: new Lanes({ first, slow, firstMs: 60_000 }) }, stubUrl);
    const read = async (name: string, file: string, demand: Demand) => {
      const [directory, output] = [join(folder, name), join(folder, `${name}-read`)];
      await Promise.all([mkdir(directory), mkdir(output)]);
      await writeFile(join(directory, file), packageYaml('fine', 'x/y:1'));
      return reader.read({ directory, output }, { demand, signal: demand.signal });
    };
    const ends = [1, 2, 3, 4].map(() => new AbortController());
    const hostileReads = ends.map(({ signal }, at) => {
      const outcome = read(`slow-${at}`, 'slow.yaml', Demand.of(tenant(at), signal));
      return outcome.then(
        () => 'read',
        (error: Error) => error.name && 'ended',
      );
    });
    expect(await read('small', 'a.yaml', Demand.of(innocent))).toMatchObject({ content: expect.any(String) });
    expect([first.running, first.waiting]).toEqual([2, 2]);
    for (const end of ends) end.abort();
    expect(await Promise.all(hostileReads)).toEqual(['ended', 'ended', 'ended', 'ended']);
    expect([first.running, first.waiting, slow.running, slow.waiting]).toEqual([0, 0, 0, 0]);
  });
});
