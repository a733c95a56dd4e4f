import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CATALOG_LABEL, pullCatalog, pullCatalogTo } from '#platform/registry/catalog-image';
import { HttpRegistryClient } from '#platform/registry/http-registry-client';
import { type BuiltImage, buildImage } from '#platform/registry/image-builder';
import { type InMemoryRegistry, type RegistryOptions, startRegistry } from '#testing/registry/in-memory-registry';

const TEXT = Array.from({ length: 2_000 }, (_, at) => `line ${at * 7919}`).join('\n');
const fast = { attempts: 3, retryDelayMs: 1, stallMs: 2_000, requestMs: 60_000 };
const client = new HttpRegistryClient({ limits: fast });

let registry: InMemoryRegistry;
let reference: string;
let image: BuiltImage;
let directory: string;
const start = async (options: RegistryOptions = {}) => {
  registry = await startRegistry(options);
  reference = `${registry.host}/acme/catalog:v1`;
  registry.put(reference, image);
};
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'flotilla-downloads-'));
  image = await buildImage({
    files: [{ path: 'configs/catalog.yaml', bytes: Buffer.from(TEXT) }],
    labels: { [CATALOG_LABEL]: '/configs' },
  });
});
afterEach(async () => {
  await registry.stop();
  await rm(directory, { recursive: true, force: true, maxRetries: 5 });
});

const layerPath = () => new RegExp(image.layers[0]?.digest ?? '');
const layerBytes = () => image.layers[0]?.bytes.length ?? 0;
const unpacked = async () => {
  const target = join(directory, 'catalog');
  await pullCatalogTo(client, reference, target);
  return readFile(join(target, 'catalog.yaml'), 'utf8');
};

describe('a download that breaks', () => {
  it.each([
    { because: 'the connection is cut', trouble: { cut: 'within' } },
    { because: 'the registry stops sending and says nothing', trouble: { hang: 'within' } },
  ] as const)('goes on at the byte where it was: $because', async ({ trouble }) => {
    await start();
    registry.failNext({ ...trouble, path: layerPath(), times: 2 });
    expect(await unpacked()).toBe(TEXT);
    const half = Math.ceil(layerBytes() / 2);
    expect(registry.ranges).toEqual([`bytes=${half}-`, `bytes=${half + Math.ceil((layerBytes() - half) / 2)}-`]);
  });

  it('is begun anew at a registry that knows no ranges; what has arrived is not unpacked twice', async () => {
    await start({ ranges: false });
    registry.failNext({ cut: 'within', path: layerPath(), times: 2 });
    expect(await unpacked()).toBe(TEXT);
  });

  it('is given up after a bounded number of tries, and leaves nothing on disk', async () => {
    await start();
    registry.failNext({ cut: 'within', path: layerPath(), times: 100 });
    await expect(unpacked()).rejects.toMatchObject({ failure: 'Unreachable', retry: 'backoff' });
    expect(registry.log.filter((line) => layerPath().test(line))).toHaveLength(3);
    expect(await readdir(directory)).toEqual([]);
  });

  it('is refused when the registry sends other bytes than it was asked for', async () => {
    await start();
    registry.failNext({ cut: 'within', path: layerPath() });
    registry.failNext({ status: 206, headers: { 'content-range': 'bytes 0-9/10' }, body: 'x', path: layerPath() });
    await expect(unpacked()).rejects.toMatchObject({
      failure: 'NotARegistry',
      message: expect.stringContaining('sent other bytes'),
    });
  });

  it('is checked as a whole: bytes that changed on the way are found', async () => {
    await start();
    registry.failNext({ cut: 'within', path: layerPath() });
    registry.corrupt(image.layers[0]?.digest ?? '');
    await expect(unpacked()).rejects.toMatchObject({ failure: 'DigestMismatch' });
    expect(await readdir(directory)).toEqual([]);
  });

  it('is ended by the caller that asked for it', async () => {
    await start();
    registry.failNext({ hang: 'within', path: layerPath() });
    const asked = new AbortController();
    const patient = new HttpRegistryClient({ limits: { stallMs: 60_000 } });
    const pull = pullCatalogTo(patient, reference, join(directory, 'catalog'), { signal: asked.signal });
    setTimeout(() => asked.abort(new Error('not wanted any more')), 30);
    await expect(pull).rejects.toThrow('not wanted any more');
    expect(await readdir(directory)).toEqual([]);
  });
});

describe('a registry that hangs', () => {
  it.each([
    {
      because: 'before it answers',
      trouble: { hang: 'before' },
      limits: { requestMs: 200 },
      says: 'no answer within 200 ms',
    },
    {
      because: 'within a manifest',
      trouble: { hang: 'within', path: /manifests/ },
      limits: { stallMs: 100 },
      says: 'nothing arrived for 100 ms',
    },
    {
      because: 'within a layer',
      trouble: { hang: 'within', path: /blobs/ },
      limits: { stallMs: 100 },
      says: 'nothing arrived for 100 ms',
    },
  ] as const)('is left after the time limit: $because', async ({ trouble, limits, says }) => {
    await start();
    registry.failNext({ ...trouble, times: 100 });
    const impatient = new HttpRegistryClient({ limits: { ...fast, ...limits } });
    await expect(pullCatalog(impatient, reference)).rejects.toMatchObject({
      failure: 'Unreachable',
      message: expect.stringContaining(says),
    });
  });

  it('does not delay pulls from another one, even with all its transfers taken', async () => {
    await start();
    const other = await startRegistry();
    other.put('acme/catalog:v1', image);
    registry.failNext({ hang: 'within', path: /blobs/, times: 100 });
    const shared = new HttpRegistryClient({ limits: { ...fast, transfersPerHost: 1, stallMs: 60_000 } });
    const asked = new AbortController();
    const stuck = [1, 2, 3].map(() => pullCatalog(shared, reference, { signal: asked.signal }).catch(() => 'ended'));
    expect((await pullCatalog(shared, `${other.host}/acme/catalog:v1`)).digest).toBe(image.manifest.digest);
    asked.abort();
    expect(await Promise.all(stuck)).toEqual(['ended', 'ended', 'ended']);
    await other.stop();
  });
});

describe('redirects', () => {
  const SECRET = { username: 'me', password: 'kept-to-oneself' };

  it('of layers to another host are followed, and the login stays at home', async () => {
    await start();
    const storage = await startRegistry();
    storage.put('acme/catalog:v1', image);
    for (const scheme of ['basic', 'bearer'] as const) {
      registry.requireAuth(SECRET, scheme);
      for (const { digest } of [image.config, ...image.layers]) {
        const location = `${storage.url}/v2/acme/catalog/blobs/${digest}`;
        registry.failNext({ status: 307, headers: { location }, path: new RegExp(digest) });
      }
      const own = new HttpRegistryClient({ limits: fast });
      const { digest } = await pullCatalog(own, reference, { credentials: { [registry.host]: SECRET } });
      expect(digest).toBe(image.manifest.digest);
    }
    expect(storage.authorizations).toEqual(['', '', '', '']);
    await storage.stop();
  });

  it.each([
    { because: 'in a circle', location: () => `${registry.url}/v2/`, says: 'redirects more than 5 times' },
    { because: 'to a file', location: () => 'file:///etc/passwd', says: 'redirects to a file: address' },
    { because: 'to what is no URL', location: () => 'http://[', says: 'not a URL' },
  ])('are refused $because', async ({ location, says }) => {
    await start();
    registry.failNext({ status: 302, headers: { location: location() }, times: 100 });
    await expect(pullCatalog(client, reference)).rejects.toMatchObject({
      failure: 'NotARegistry',
      message: expect.stringContaining(says),
    });
  });
});

describe('a web page instead of an answer', () => {
  const page = { headers: { 'content-type': 'text/html; charset=utf-8' }, body: '<!doctype html><title>Sign in' };
  it.each([
    { because: 'for a manifest', path: /manifests/, status: 200, failure: 'NotARegistry', says: 'web page' },
    { because: 'for a layer', path: /blobs/, status: 200, failure: 'NotARegistry', says: 'web page' },
    {
      because: 'of a gateway in trouble',
      path: /blobs/,
      status: 502,
      failure: 'Unreachable',
      says: 'answered 502 with a web page',
    },
  ])('is reported as such: $because', async ({ path, status, failure, says }) => {
    await start();
    registry.failNext({ ...page, path, status, times: 100 });
    await expect(pullCatalog(client, reference)).rejects.toMatchObject({
      failure,
      message: expect.stringContaining(says),
    });
  });
});

describe('tokens of a Docker config', () => {
  const login = { username: 'me', password: 'an-identity-token' };
  const cases = [
    { because: 'an identity token', given: () => ({ identityToken: login.password }) },
    { because: 'a registry token', given: () => ({ registryToken: registry.token }) },
  ];
  it.each(cases)('$because opens the registry', async ({ given }) => {
    await start();
    registry.requireAuth(login);
    const own = new HttpRegistryClient({ limits: fast });
    const { digest } = await pullCatalog(own, reference, { credentials: { [registry.host]: given() } });
    expect(digest).toBe(image.manifest.digest);
  });

  it.each([
    { because: 'an identity token', given: { identityToken: 'worn-out' } },
    { because: 'a registry token', given: { registryToken: 'worn-out' } },
  ])('$because that is refused is not shown', async ({ given }) => {
    await start();
    registry.requireAuth(login);
    const error = await client.resolve(reference, { credentials: { [registry.host]: given } }).catch((e: unknown) => e);
    expect(error).toMatchObject({ failure: 'Unauthorized', message: expect.stringContaining('were refused') });
    expect(String(error)).not.toContain('worn-out');
  });
});
