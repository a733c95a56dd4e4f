import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadCatalog } from '#core/catalog/load/load-catalog';
import { packageRecords } from '#core/catalog/load/package-records';
import { canonicalHash } from '#core/kernel/canonical/canonical-json';
import { PROJECT_ROOT } from '#platform/files/project-root';
import { readCatalogTree } from '#platform/files/read-tree';
import { GrpcCatalogClient } from '#platform/registry/grpc/grpc-catalog-client';
import { type CatalogServer, serveCatalog } from '#platform/registry/grpc/grpc-catalog-server';
import { ListingBudget } from '#platform/registry/grpc/listing-budget';
import { freePorts } from '#testing/control-plane/free-ports';
import { PATIENCE } from '#testing/patience';
import { needing, PUBLIC_DATA, publicData } from '#testing/report/needs';

const CSV = {
  apiVersion: 'operators.coreos.com/v1alpha1',
  kind: 'ClusterServiceVersion',
  metadata: { name: 'bee.v1.0.0' },
  spec: { version: '1.0.0' },
};
const base64 = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64');
const version = (packageName: string, text: string) => ({ type: 'olm.package', value: { packageName, version: text } });

/** `ant` by image, with dependencies and deprecations; `bee` with its manifests inline. */
const blobs = [
  { schema: 'olm.package', name: 'ant', defaultChannel: 'stable' },
  {
    schema: 'olm.channel',
    name: 'stable',
    package: 'ant',
    entries: [{ name: 'ant.v1.0.0' }, { name: 'ant.v1.1.0', replaces: 'ant.v1.0.0', skipRange: '<1.1.0' }],
  },
  {
    schema: 'olm.bundle',
    name: 'ant.v1.0.0',
    package: 'ant',
    image: 'r.test/ant:1',
    properties: [version('ant', '1.0.0')],
  },
  {
    schema: 'olm.bundle',
    name: 'ant.v1.1.0',
    package: 'ant',
    image: 'r.test/ant:2',
    properties: [
      version('ant', '1.1.0'),
      { type: 'olm.package.required', value: { packageName: 'bee', versionRange: '>=1.0.0' } },
      { type: 'olm.gvk.required', value: { group: 'bee.test', kind: 'Bee', version: 'v1' } },
      { type: 'olm.csv.metadata', value: { displayName: 'The ant' } },
    ],
  },
  {
    schema: 'olm.deprecations',
    package: 'ant',
    entries: [
      { reference: { schema: 'olm.package' }, message: 'use bee' },
      { reference: { schema: 'olm.channel', name: 'stable' }, message: 'no longer kept up' },
      { reference: { schema: 'olm.bundle', name: 'ant.v1.0.0' }, message: 'too old' },
    ],
  },
  { schema: 'olm.package', name: 'bee', defaultChannel: 'stable' },
  { schema: 'olm.channel', name: 'stable', package: 'bee', entries: [{ name: 'bee.v1.0.0' }] },
  {
    schema: 'olm.bundle',
    name: 'bee.v1.0.0',
    package: 'bee',
    image: '',
    properties: [
      version('bee', '1.0.0'),
      { type: 'olm.gvk', value: { group: 'bee.test', kind: 'Bee', version: 'v1' } },
      { type: 'olm.bundle.object', value: { data: base64(CSV) } },
    ],
  },
];
const catalogOf = (items: readonly unknown[]) =>
  loadCatalog([{ path: 'catalog.json', bytes: Buffer.from(items.map((item) => JSON.stringify(item)).join('\n')) }]);
const catalog = catalogOf(blobs);

let server: CatalogServer;
let client: GrpcCatalogClient;
beforeEach(async () => {
  // It comes back at its port in some tests.
  const [port = 0] = await freePorts(1);
  server = await serveCatalog(catalog, { port });
  client = new GrpcCatalogClient(`127.0.0.1:${server.port}`);
});
afterEach(async () => {
  client.close();
  await server.stop();
});

describe('a catalog at a gRPC address', () => {
  it('gives the same records as the same catalog read from files', async () => {
    const { records, leftOut } = await client.snapshot();
    expect(records).toEqual(packageRecords(catalog, ({ objects }) => `sha256:${canonicalHash(objects)}`));
    expect(leftOut).toEqual([]);
  });

  it('brings the manifests of bundles without image along', async () => {
    const { inline } = await client.snapshot();
    expect([...inline]).toEqual([[`sha256:${canonicalHash([CSV])}`, [CSV]]]);
  });

  it('lists packages, and says which one it does not have', async () => {
    expect(await client.listPackages()).toEqual(['ant', 'bee']);
    await expect(client.getPackage('cow')).rejects.toThrow('package "cow" not found');
  });

  it('other content is served from the next call on; what cannot be served is refused and changes nothing', async () => {
    server.replace(catalogOf(blobs.slice(5)));
    expect(await client.listPackages()).toEqual(['bee']);
    expect(() => server.replace(catalogOf([{ schema: 'olm.package', name: 'broken' }]))).toThrow(
      'process package "broken"',
    );
    expect(await client.listPackages()).toEqual(['bee']);
  });

  it('reports its connection as gRPC states: READY, then not, then READY when the server is back', async () => {
    const seen: string[] = [];
    client.watchState((state) => seen.push(state));
    await expect.poll(() => seen).toContain('READY');
    expect(client.state).toBe('READY');
    await server.stop();
    await expect.poll(() => client.state).not.toBe('READY');
    seen.length = 0;
    server = await serveCatalog(catalog, { port: server.port });
    await expect.poll(() => seen, PATIENCE).toContain('READY');
    client.close();
    expect(client.state).toBe('SHUTDOWN');
  });
});

it.for([
  { which: 'the sample', path: join(PROJECT_ROOT, 'examples/catalogs/v2'), needs: [] },
  { which: 'public', path: join(PUBLIC_DATA, 'data/catalogs/v4.20'), needs: [publicData('data/catalogs/v4.20')] },
])('$which catalogs come through a server as they are read from files', async ({ path, needs }, { skip, task }) => {
  Object.assign(task.meta, needing(...needs).meta);
  skip(needing(...needs).skip === true);
  const all = loadCatalog(await readCatalogTree(path));
  server.replace(all);
  const { records, leftOut } = await client.snapshot();
  expect(leftOut).toEqual([]);
  expect(records).toEqual(packageRecords(all, ({ objects }) => `sha256:${canonicalHash(objects)}`));
});

describe('a gRPC address that gives no catalog', () => {
  const listing = async (address: string, limits = {}) => {
    const own = new GrpcCatalogClient(address, limits);
    try {
      return await own.snapshot();
    } finally {
      own.close();
    }
  };

  it('nothing listens there', async () => {
    const { port } = server;
    await server.stop();
    await expect(listing(`127.0.0.1:${port}`)).rejects.toMatchObject({
      failure: 'Unreachable',
      message: expect.stringMatching(
        /failed to list bundles.*UNAVAILABLE.*ECONNREFUSED.*check that the catalog server/,
      ),
    });
    server = await serveCatalog(catalog, { port });
  });

  it('a name that only the cluster knows: the message says so', async () => {
    await expect(listing('cats.olm.svc:50051', { callMs: 60_000 })).rejects.toMatchObject({
      failure: 'Unreachable',
      message: expect.stringContaining('only the cluster knows this name'),
    });
  });

  it('the server never answers', async () => {
    const silent = createServer(() => undefined);
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const address = silent.address();
    const port = address !== null && typeof address === 'object' ? address.port : 0;
    await expect(listing(`127.0.0.1:${port}`, { callMs: 200 })).rejects.toMatchObject({
      failure: 'Unreachable',
      message: expect.stringContaining('DEADLINE_EXCEEDED'),
    });
    silent.close();
  });

  it.each([
    { because: 'more bundles than allowed', limits: { bundles: 2 } },
    { because: 'more bytes than allowed', limits: { listBytes: 100 } },
    { because: 'a message larger than allowed', limits: { messageBytes: 100 } },
  ])('$because', async ({ limits }) => {
    await expect(listing(`127.0.0.1:${server.port}`, limits)).rejects.toMatchObject({ failure: 'TooLarge' });
  });

  it('large lists at the same time take turns, and one that waits too long says why (R11)', async () => {
    const listings = new ListingBudget(0);
    const other = listings.begin();
    const snapshot = async (callMs: number) => {
      const limits = { callMs };
      const own = new GrpcCatalogClient(`127.0.0.1:${server.port}`, limits, process.env, undefined, listings);
      return own.snapshot().finally(() => own.close());
    };
    await expect(snapshot(200)).rejects.toMatchObject({
      failure: 'Unreachable',
      message: expect.stringContaining('other large lists use the memory of the hub; the list is retried'),
    });
    const waits = snapshot(PATIENCE.timeout);
    listings.end(other);
    expect((await waits).records).not.toHaveLength(0);
  });

  it('descriptions of packages that exceed what the bundles have left (R10)', async () => {
    const listBundles = async (listBytes: number) => {
      const own = new GrpcCatalogClient(`127.0.0.1:${server.port}`, { listBytes });
      return own
        .listBundles()
        .then(
          () => true,
          () => false,
        )
        .finally(() => own.close());
    };
    let [refused, taken] = [0, 1 << 20];
    while (taken - refused > 1) {
      const middle = (refused + taken) >> 1;
      if (await listBundles(middle)) taken = middle;
      else refused = middle;
    }
    await expect(listing(`127.0.0.1:${server.port}`, { listBytes: taken })).rejects.toMatchObject({
      failure: 'TooLarge',
      message: expect.stringContaining('list packages'),
    });
  });

  it.each(['', 'host', 'host:0', 'host:99999', 'unix:/var/run/docker.sock', 'dns:///x:1', 'http://x:1', 'a b:1'])(
    'is refused before anything is dialled: "%s"',
    (address) => {
      expect(() => new GrpcCatalogClient(address)).toThrow('expected HOST:PORT');
    },
  );
});
