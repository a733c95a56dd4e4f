import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { CatalogSource } from '#core/kernel/api/catalog-source';
import type { Digest } from '#platform/content/content-store.port';
import { HttpContentStore } from '#platform/content/http-content-store';
import { MemoryContentStore } from '#platform/content/memory-content-store';
import { hubAuthorization } from '#platform/http/http-access';
import { HubKey } from '#platform/keys/hub-key';
import { CATALOG_LABEL } from '#platform/registry/catalog-image';
import { buildImage } from '#platform/registry/image-builder';
import { serveCrds } from '#testing/cluster/served-crds';
import { freePorts } from '#testing/control-plane/free-ports';
import { PATIENCE } from '#testing/patience';
import { type InMemoryRegistry, startRegistry } from '#testing/registry/in-memory-registry';
import type { ServicesEnvironment } from '../../apps/cli/src/commands/demo/environment/demo-environment.js';
import { runFlotilla } from '../../apps/cli/src/run-flotilla.fixture.js';
import { startQuickEnvironment } from '../story/quick-environment.js';

const SOURCE = { apiVersion: 'operators.coreos.com/v1alpha1', kind: 'CatalogSource' };
const CATALOG = { apiVersion: 'olm.operatorframework.io/v1', kind: 'ClusterCatalog' };
const SECRET = 'TOPSECRET-DISPLAY';
const READER = 'reader-token-of-east-0123456789';
const STRANGER = 'stranger-token-0123456789';

const blobs = [
  { schema: 'olm.package', name: 'lamp', defaultChannel: 'stable' },
  { schema: 'olm.channel', package: 'lamp', name: 'stable', entries: [{ name: 'lamp.v1.0.0' }] },
  {
    schema: 'olm.bundle',
    name: 'lamp.v1.0.0',
    package: 'lamp',
    image: 'registry.example/lamp:1',
    properties: [
      { type: 'olm.package', value: { packageName: 'lamp', version: '1.0.0' } },
      { type: 'olm.csv.metadata', value: { displayName: SECRET } },
    ],
  },
];

describe('a hub that listens on all addresses, with its default settings', () => {
  let folder: string;
  let registry: InMemoryRegistry;
  let environment: ServicesEnvironment;
  let hub: string;
  let packages: string;
  let catalogs: string;
  let content: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'http-attacks-'));
    registry = await startRegistry();
    const bytes = Buffer.from(blobs.map((blob) => JSON.stringify(blob)).join('\n'));
    const files = [{ path: 'configs/catalog.json', bytes }];
    registry.put('priv/catalog:1', await buildImage({ files, labels: { [CATALOG_LABEL]: '/configs' } }));
    const [port] = await freePorts(1);
    hub = `http://127.0.0.1:${port}`;
    environment = await startQuickEnvironment({
      registry,
      settings: {
        FLOTILLA_BIND_ADDRESS: '0.0.0.0',
        FLOTILLA_CATALOG_POLLER_PORT: String(port),
        FLOTILLA_CONTENT_URL: hub,
        FLOTILLA_HUB_KEY_FILE: join(folder, 'key'),
        FLOTILLA_HTTP_TOKENS_FILE: join(folder, 'tokens'),
      },
    });
    const [east] = environment.clients;
    if (east === undefined) throw new Error('there is no cluster');
    const below = `/clusters/${east.cluster}/`;
    packages = `${below}apis/packages.operators.coreos.com/v1/packagemanifests`;
    catalogs = `${below}catalogs/priv/api/v1/all`;
    await writeFile(
      join(folder, 'tokens'),
      `reader ${READER} ${below}*,/content/*,/metrics,/readyz\nstranger ${STRANGER} /clusters/elsewhere/*\n`,
    );
    await serveCrds(east);
    await vi.waitFor(async () => expect(await east.serves(SOURCE)).toBe(true), PATIENCE);
    await east.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'tenant' } });
    const image = `${registry.host}/priv/catalog:1`;
    await east.create({
      ...SOURCE,
      metadata: { name: 'priv', namespace: 'tenant' },
      spec: { sourceType: 'grpc', image },
    });
    await east.create({
      ...CATALOG,
      metadata: { name: 'priv' },
      spec: { source: { type: 'Image', image: { ref: image } } },
    });
    const priv = { ...SOURCE, name: 'priv', namespace: 'tenant' };
    const status = async () => (await east.get<CatalogSource>(priv))?.status?.connectionState?.address;
    await vi.waitFor(async () => expect(await status()).toMatch(/\/content\/sha256:/), PATIENCE);
    content = new URL((await status()) ?? '').pathname;
  });
  afterAll(async () => {
    await environment?.stop();
    await registry?.stop();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  });

  const get = async (path: string, token?: string) => {
    const response = await fetch(
      `${hub}${path}`,
      token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } },
    );
    return { status: response.status, text: await response.text() };
  };

  it('B5: shows packages and content of a private catalog to no client without a token, however it writes the path', async () => {
    await vi.waitFor(async () => expect((await get(packages, READER)).text).toContain(SECRET), PATIENCE);
    const spellings = [packages, `${packages}?limit=1`, packages.replace('packagemanifests', 'package%6danifests')];
    for (const path of [...spellings, content, content.replace(':', '%3A'), `/%63ontent/${content.slice(9)}`]) {
      const { status, text } = await get(path);
      expect([status, text.includes(SECRET)], path).toEqual([401, false]);
      expect((await get(path, READER)).status, path).toBe(200);
      expect((await get(path, STRANGER)).status, path).toBe(403);
    }
    const one = `${packages.replace('packagemanifests', 'namespaces/tenant/packagemanifests')}/lamp`;
    expect([(await get(one)).status, (await get(`${one}/icon`)).status]).toEqual([401, 401]);
    expect((await get(one, READER)).text).toContain(SECRET);
    expect(JSON.parse((await get(packages)).text)).toMatchObject({ kind: 'Status', reason: 'Unauthorized', code: 401 });
  });

  it('B5b: shows metrics, and names of clusters in health, to no client without a token', async () => {
    expect((await get('/metrics')).status).toBe(401);
    expect((await get('/metrics', READER)).text).toContain('catalogsource_ready{');
    const { status, text } = await get('/readyz');
    expect(status).toBe(200);
    expect(text).not.toContain(environment.clients[0]?.cluster);
    expect((await get('/readyz', READER)).text).toContain(environment.clients[0]?.cluster);
  });

  it('gives content to the other processes of the hub by its key, and ClusterCatalogs to all, as catalogd does', async () => {
    const key = await HubKey.open(join(folder, 'key'));
    const digest = content.slice('/content/'.length) as Digest;
    const cache = new MemoryContentStore();
    const store = (by: HubKey) =>
      new HttpContentStore({ baseUrl: hub, cache, authorization: (path) => hubAuthorization(by, path) });
    await expect(store(HubKey.random()).get(digest)).rejects.toThrow(/HTTP status 401/);
    expect(Buffer.from((await store(key).get(digest)) ?? []).toString()).toContain(SECRET);
    await vi.waitFor(async () => expect((await get(catalogs)).text).toContain(SECRET), PATIENCE);
  });

  it('is read by the command with a token, and without one says what is missing', async () => {
    const ask = async () => {
      const cluster = environment.clients[0]?.cluster ?? '';
      return runFlotilla(['catalog', 'packages', '--cluster', cluster, '--hub', hub, '-o', 'name']);
    };
    expect(await ask()).toMatchObject({ exit: 3, err: expect.stringContaining('FLOTILLA_HUB_TOKEN_FILE') });
    await writeFile(join(folder, 'mine'), `${READER}\n`);
    vi.stubEnv('FLOTILLA_HUB_TOKEN_FILE', join(folder, 'mine'));
    expect(await ask()).toMatchObject({ exit: 0, out: 'lamp\n' });
    vi.unstubAllEnvs();
  });
});
