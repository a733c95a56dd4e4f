import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { indexCatalog } from '#core/classic/resolution/problem/catalog-slice';
import { sampleEntry, samplePackage } from '#core/classic/resolution/sample-problem.fixture';
import type { SharedMetas } from '#lifecycle/catalogs/cluster-catalogs/shared-metas';
import type { ObservedFleet } from '#lifecycle/fleet/observed-fleet';
import { MemoryContentStore } from '#platform/content/memory-content-store';
import { HttpAccess } from '#platform/http/http-access';
import type { Log } from '#platform/telemetry/log.port';
import { ContentController } from './content.controller.js';
import { PackageManifestsMiddleware } from './package-manifests.middleware.js';

const PATH = '/clusters/east/apis/packages.operators.coreos.com/v1';
const ICON = Buffer.from('<svg onload="alert(1)"/>');

let store: MemoryContentStore;
let server: Server | undefined;
let origin: string;
let access: HttpAccess;
let logged: string[];

const log = {
  error: ({ target }: { target: string }, text: string) => void logged.push(`${text}: ${target}`),
} as unknown as Log;
const csv = (name: string, mediatype = 'image/svg+xml') => ({
  kind: 'ClusterServiceVersion',
  metadata: { name: `${name}.v1.0.0`, labels: { team: name } },
  spec: { version: '1.0.0', displayName: name, icon: [{ base64data: ICON.toString('base64'), mediatype }] },
});

async function catalog(namespace: string, ...names: readonly string[]) {
  const records = await Promise.all(
    names.map(async (name) => {
      const inline = await store.put(new TextEncoder().encode(JSON.stringify([csv(name)])));
      return samplePackage(name, sampleEntry(name, '1.0.0', [], { source: { inline } }));
    }),
  );
  const spec = { sourceType: 'configmap', configMap: 'c' };
  const source = {
    apiVersion: 'operators.coreos.com/v1alpha1',
    kind: 'CatalogSource',
    metadata: { name: 'shelf', namespace },
    spec,
  };
  return {
    source,
    loaded: { digest: 'd', content: 'c', index: indexCatalog(records), packages: records.length },
    failure: undefined,
  };
}

beforeEach(async () => {
  store = new MemoryContentStore();
  access = HttpAccess.open();
  logged = [];
  const all = [await catalog('olm', 'lamp', 'wick'), await catalog('shop', 'bulb'), await catalog('mill', 'gear')];
  const classic = { globalCatalogNamespace: 'olm', catalogs: { all: () => all } };
  const fleet = { of: (cluster: string) => (cluster === 'east' ? { classic } : undefined) } as unknown as ObservedFleet;
  server = createServer((request, response) => {
    const middleware = new PackageManifestsMiddleware(access, store, log, {} as SharedMetas, fleet);
    middleware.use(request, response, () => response.writeHead(418).end());
  });
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(() => new Promise((resolve) => server?.close(resolve)));

const ask = (path: string, init: RequestInit = {}) => fetch(`${origin}${path}`, init);
type Listed = { kind: string; items: { metadata: { name: string; namespace: string } }[] };
async function listed(path: string): Promise<readonly string[]> {
  const { items } = (await (await ask(path)).json()) as Listed;
  return items.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`);
}

describe('api-types.md §9: PackageManifests of a cluster', () => {
  it.each([
    {
      path: `${PATH}/packagemanifests`,
      names: ['shop/bulb', 'mill/gear', 'olm/lamp', 'olm/wick'],
      because: 'all catalogs',
    },
    {
      path: `${PATH}/namespaces/shop/packagemanifests`,
      names: ['shop/bulb', 'shop/lamp', 'shop/wick'],
      because: 'its own catalogs and the global ones, as of the namespace',
    },
    { path: `${PATH}/packagemanifests?labelSelector=team%3Dlamp`, names: ['olm/lamp'], because: 'labels of the CSV' },
    { path: `${PATH}/packagemanifests?fieldSelector=metadata.name%3Dwick`, names: ['olm/wick'], because: 'one name' },
    { path: `${PATH}/packagemanifests?labelSelector=team%3Dnone`, names: [], because: 'an empty list is a list' },
  ])('lists $names: $because', async ({ path, names }) => {
    expect(await listed(path)).toEqual(names);
  });

  it('one package, without its icon; the icon is served apart', async () => {
    const one = await ask(`${PATH}/namespaces/shop/packagemanifests/lamp`);
    const text = await one.text();
    expect([one.status, JSON.parse(text)]).toMatchObject([
      200,
      { kind: 'PackageManifest', metadata: { name: 'lamp' } },
    ]);
    expect(text).not.toContain(ICON.toString('base64'));
  });

  it('an icon is what the CSV has, and a browser does not run it', async () => {
    const icon = await ask(`${PATH}/namespaces/shop/packagemanifests/lamp/icon?resourceVersion=x`);
    expect(Buffer.from(await icon.arrayBuffer())).toEqual(ICON);
    expect(icon.headers.get('content-type')).toBe('image/svg+xml');
    expect(icon.headers.get('content-security-policy')).toContain('sandbox');
    expect(icon.headers.get('x-content-type-options')).toBe('nosniff');
  });

  it('an icon that the client has is not sent again', async () => {
    const headers = { 'if-none-match': '"x"' };
    expect(
      (await ask(`${PATH}/namespaces/shop/packagemanifests/lamp/icon?resourceVersion=x`, { headers })).status,
    ).toBe(304);
  });
});

describe('what is refused, as an API server words it', () => {
  it.each([
    {
      path: `${PATH}/namespaces/shop/packagemanifests/none`,
      code: 404,
      message: 'packagemanifests.packages.operators.coreos.com "none" not found',
    },
    {
      path: `${PATH}/namespaces/shop/packagemanifests/gear`,
      code: 404,
      message: 'packagemanifests.packages.operators.coreos.com "gear" not found',
    },
    {
      path: PATH.replace('east', 'north').concat('/packagemanifests'),
      code: 404,
      message: 'cluster "north" is not watched by this hub, or not yet',
    },
    { path: `${PATH}/packagemanifests?watch=true`, code: 400, message: 'packagemanifests cannot be watched' },
  ])('$code $path', async ({ path, code, message }) => {
    const answer = await ask(path);
    expect([answer.status, await answer.json()]).toMatchObject([
      code,
      { kind: 'Status', status: 'Failure', code, message },
    ]);
  });

  it('a write', async () => {
    expect((await ask(`${PATH}/packagemanifests`, { method: 'POST' })).status).toBe(405);
  });

  it('a request without the token that the hub asks for', async () => {
    access = new HttpAccess({ areas: new Set(['packages']) });
    const answer = await ask(`${PATH}/packagemanifests`);
    expect([answer.status, await answer.json()]).toMatchObject([401, { reason: 'Unauthorized' }]);
  });

  it('what cannot be read is a 500 without details, and a line in the log', async () => {
    store.get = () => Promise.reject(new Error('disk on fire in /var/lib/secret'));
    const answer = await ask(`${PATH}/packagemanifests`);
    const text = await answer.text();
    expect([answer.status, text]).toEqual([500, expect.not.stringContaining('/var/lib')]);
    expect(logged).toEqual([`could not list packages: ${PATH}/packagemanifests`]);
  });

  it('other paths are for the next handler, and HEAD has no body', async () => {
    expect((await ask('/clusters/east/healthz')).status).toBe(418);
    const head = await ask(`${PATH}/packagemanifests`, { method: 'HEAD' });
    expect([head.status, await head.text()]).toEqual([200, '']);
  });
});

describe('content by digest', () => {
  function replied() {
    const seen: { status?: number; body?: unknown } = {};
    const reply = {
      status: (status: number) => {
        Object.assign(seen, { status });
        return reply;
      },
      headers: () => reply,
      send: (body: unknown) => void Object.assign(seen, { body }),
    };
    return { seen, reply };
  }
  async function content(digest: string, areas: readonly 'content'[] = []) {
    const { seen, reply } = replied();
    const controller = new ContentController(new HttpAccess({ areas: new Set(areas) }), store, log);
    await controller.content(digest, {}, reply as never);
    const parts = await Array.fromAsync(seen.body as AsyncIterable<Uint8Array | string>);
    return { status: seen.status, text: parts.map((part) => Buffer.from(part as Uint8Array).toString()).join('') };
  }

  it('is served where it is held', async () => {
    const digest = await store.put(new TextEncoder().encode('light'));
    expect(await content(digest)).toEqual({ status: 200, text: 'light' });
  });

  it('is not there where it is not held', async () => {
    expect((await content(`sha256:${'0'.repeat(64)}`)).status).toBe(404);
  });

  it('asks for a token where the area does, and says nothing of what is held', async () => {
    const digest = await store.put(new TextEncoder().encode('light'));
    const { status, text } = await content(digest, ['content']);
    expect([status, text]).toEqual([401, expect.not.stringContaining('light')]);
  });
});
