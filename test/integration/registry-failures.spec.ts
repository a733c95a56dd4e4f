import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { MemoryContentStore } from '#platform/content/memory-content-store';
import { pullBundle } from '#platform/registry/bundle-image';
import { CATALOG_LABEL, pullCatalog, pullCatalogTo } from '#platform/registry/catalog-image';
import { MediaType } from '#platform/registry/client/media-types';
import { HttpRegistryClient } from '#platform/registry/http-registry-client';
import { type BuiltImage, buildImage, descriptorOf } from '#platform/registry/image-builder';
import { pushImage } from '#platform/registry/image-push';
import { credentialsOf } from '#platform/registry/logins/docker-config';
import { type InMemoryRegistry, startRegistry } from '#testing/registry/in-memory-registry';

const OTHER = `sha256:${'0'.repeat(64)}`;
const fast = { attempts: 3, retryDelayMs: 1 };
const catalogImage = (text: string): Promise<BuiltImage> =>
  buildImage({
    files: [{ path: 'configs/catalog.yaml', bytes: Buffer.from(text) }],
    labels: { [CATALOG_LABEL]: '/configs' },
  });
const json = (value: unknown) => Buffer.from(JSON.stringify(value));

let registry: InMemoryRegistry;
let reference: string;
let image: BuiltImage;
const client = new HttpRegistryClient({ limits: fast });
beforeEach(async () => {
  registry = await startRegistry();
  reference = `${registry.host}/acme/catalog:v1`;
  image = await catalogImage('schema: olm.package\n');
  registry.put(reference, image);
});
afterEach(() => registry.stop());

const failure = (failure: string, ...says: (string | RegExp)[]) =>
  expect.objectContaining({
    failure,
    message: expect.toSatisfy(
      (message: string) => says.every((part) => message.match(part) !== null),
      says.join(' … '),
    ),
  });

describe('a pull that cannot succeed says where and what to do', () => {
  it('nothing listens at the host', async () => {
    await registry.stop();
    await expect(pullCatalog(client, reference)).rejects.toEqual(
      failure('Unreachable', reference, registry.host, 'connection refused'),
    );
    registry = await startRegistry();
  });

  it('the host takes the connection and never answers', async () => {
    const silent = createServer(() => undefined);
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const address = silent.address();
    const port = address !== null && typeof address === 'object' ? address.port : 0;
    const impatient = new HttpRegistryClient({ limits: { attempts: 1, requestMs: 100 } });
    await expect(impatient.resolve(`127.0.0.1:${port}/a:v1`)).rejects.toEqual(
      failure('Unreachable', 'no answer within 100 ms'),
    );
    silent.close();
  });

  it('no such tag', async () => {
    const missing = `${registry.host}/acme/catalog:v2`;
    await expect(pullCatalog(client, missing)).rejects.toEqual(
      failure('NotFound', missing, 'MANIFEST_UNKNOWN', 'check'),
    );
    await expect(client.resolve(missing)).rejects.toEqual(failure('NotFound', missing, 'check'));
  });

  it('a layer that the registry has lost', async () => {
    registry.failNext({ path: /blobs/, status: 404, times: 2 });
    await expect(pullCatalog(client, reference)).rejects.toEqual(
      failure('Incomplete', 'is missing', 'push the image again'),
    );
  });

  it.each([
    { what: 'layer', digest: () => image.layers[0]?.digest },
    { what: 'config', digest: () => image.config.digest },
    { what: 'manifest', digest: () => image.manifest.digest },
  ])('a $what whose content does not match its digest: both digests are named', async ({ digest }) => {
    registry.corrupt(digest() ?? '');
    await expect(pullCatalog(client, reference)).rejects.toEqual(
      failure('DigestMismatch', digest() ?? '', new RegExp(`sha256:(?!${digest()?.slice(7)})[0-9a-f]{12}`)),
    );
  });

  it('a layer shorter than the manifest says', async () => {
    const layers = image.layers.map((layer) => ({ ...descriptorOf(layer), size: layer.bytes.length + 5 }));
    const manifest = { schemaVersion: 2, mediaType: MediaType.ociManifest, config: descriptorOf(image.config), layers };
    registry.putManifest(reference, MediaType.ociManifest, json(manifest));
    await expect(pullCatalog(client, reference)).rejects.toEqual(
      failure('DigestMismatch', /ended after \d+ of \d+ bytes/),
    );
  });

  it('a manifest that lies about its own digest when asked for by digest', async () => {
    registry.failNext({ path: /manifests/, status: 200, body: '{}' });
    await expect(pullCatalog(client, `${registry.host}/acme/catalog@${OTHER}`)).rejects.toEqual(
      failure('DigestMismatch', OTHER),
    );
  });

  it.each([
    {
      because: 'a web page',
      type: 'text/html',
      body: '<!doctype html><title>Sign in',
      says: ['NotARegistry', 'web page', 'is this host an image registry'],
    },
    {
      because: 'JSON of another shape',
      type: MediaType.ociManifest,
      body: '{"layers": 5}',
      says: ['Malformed', 'not valid'],
    },
    { because: 'no JSON', type: MediaType.ociManifest, body: '', says: ['Malformed', 'expected JSON'] },
    {
      because: 'a schema 1 manifest',
      type: 'application/vnd.docker.distribution.manifest.v1+prettyjws',
      body: '{}',
      says: ['Unsupported', 'manifest.v1'],
    },
    { because: 'an empty index', type: MediaType.ociIndex, body: '{"manifests": []}', says: ['Malformed', 'no image'] },
    {
      because: 'a manifest of enormous size',
      type: MediaType.ociManifest,
      body: ' '.repeat(5_000_000),
      says: ['TooLarge', 'larger than'],
    },
    {
      because: 'nesting beyond measure',
      type: MediaType.ociManifest,
      body: '['.repeat(1_000_000),
      says: ['Malformed', 'expected JSON'],
    },
  ])('instead of a manifest: $because', async ({ type, body, says: [kind = '', ...says] }) => {
    registry.putManifest(reference, type, Buffer.from(body));
    await expect(pullCatalog(client, reference)).rejects.toEqual(failure(kind, reference, ...says));
  });

  it.each([
    { because: 'no labels at all', labels: {}, says: 'it has no labels' },
    { because: 'other labels, which are named', labels: { maintainer: 'me' }, says: 'found labels maintainer' },
    {
      because: 'a SQLite index',
      labels: { 'operators.operatorframework.io.index.database.v1': '/db' },
      says: 'SQLite.*no longer supported: migrate',
    },
    { because: 'a label that names nothing', labels: { [CATALOG_LABEL]: '/elsewhere' }, says: '/elsewhere' },
  ])('no catalog image: $because', async ({ labels, says }) => {
    registry.put(reference, await buildImage({ files: [{ path: 'configs/a', bytes: Buffer.from('a') }], labels }));
    await expect(pullCatalog(client, reference)).rejects.toEqual(failure('Malformed', reference, says));
  });

  it('no bundle image: manifests are missing', async () => {
    await expect(pullBundle(client, reference)).rejects.toEqual(failure('Malformed', 'not a bundle', '/manifests/'));
  });

  it('a pull that takes too long is given up', async () => {
    const impatient = new HttpRegistryClient({ limits: { pullMs: 50, attempts: 100, retryDelayMs: 1000 } });
    registry.failNext({ status: 503, times: 100 });
    await expect(impatient.resolve(reference)).rejects.toEqual(failure('Unreachable', 'not done after 50 ms'));
  });
});

describe('a registry in passing trouble', () => {
  it.each([
    { because: '503 twice', trouble: { status: 503, times: 2 } },
    { because: '429 with Retry-After', trouble: { status: 429, headers: { 'retry-after': '0' } } },
    { because: 'a cut connection', trouble: { cut: 'before' } },
    { because: 'a manifest cut off', trouble: { cut: 'within', path: /manifests/ } },
    { because: 'a layer cut off', trouble: { cut: 'within', path: /blobs/, times: 2 } },
  ] as const)('$because: the pull succeeds all the same', async ({ trouble }) => {
    registry.failNext(trouble);
    expect((await pullCatalog(client, reference)).digest).toBe(image.manifest.digest);
  });

  it('gives up after a bounded number of tries', async () => {
    registry.failNext({ status: 500, times: 100 });
    await expect(client.resolve(reference)).rejects.toEqual(failure('Unreachable', 'answered 500'));
    expect(registry.requests.total).toBe(3);
  });
});

describe('image indexes', () => {
  const indexOf = (...entries: { image: BuiltImage; os?: string; architecture: string }[]) =>
    json({
      schemaVersion: 2,
      mediaType: MediaType.ociIndex,
      manifests: entries.map(({ image, os = 'linux', architecture }) => ({
        ...descriptorOf(image.manifest),
        platform: { os, architecture },
      })),
    });

  it.each([
    { because: 'this architecture first', have: ['amd64', 'arm64'], chosen: 'arm64' },
    { because: 'else amd64', have: ['s390x', 'amd64'], chosen: 'amd64' },
    {
      because: 'else the first: catalogs and bundles are the same on all',
      have: ['s390x', 'ppc64le'],
      chosen: 's390x',
    },
  ])('$because', async ({ have, chosen }) => {
    const images = await Promise.all(
      have.map(async (architecture) => ({ architecture, image: await catalogImage(architecture) })),
    );
    for (const each of images) registry.put('acme/catalog:other', each.image);
    const resolved = registry.putManifest(reference, MediaType.ociIndex, indexOf(...images));
    const arm = new HttpRegistryClient({ architecture: 'arm64' });

    const pulled = await pullCatalog(arm, reference);

    expect(Buffer.from(pulled.files[0]?.bytes ?? []).toString()).toBe(chosen);
    expect(pulled.digest).toBe(images.find(({ architecture }) => architecture === chosen)?.image.manifest.digest);
    expect([pulled.resolved, await arm.resolve(reference)]).toEqual([resolved, resolved]);
  });

  it('attestations are no images', async () => {
    const attestation = await catalogImage('attestation');
    registry.put('acme/catalog:other', attestation);
    registry.putManifest(
      reference,
      MediaType.ociIndex,
      indexOf({ image: attestation, os: 'unknown', architecture: 'unknown' }, { image, architecture: 's390x' }),
    );
    expect((await pullCatalog(client, reference)).digest).toBe(image.manifest.digest);
  });
});

describe.each(['bearer', 'basic'] as const)('a registry that asks for a login (%s)', (scheme) => {
  const SECRET = 'kept-to-oneself';
  const auth = Buffer.from(`me:${SECRET}`).toString('base64');
  beforeEach(() => registry.requireAuth({ username: 'me', password: SECRET }, scheme));

  it('takes the credentials of a pull secret, and one login serves the whole pull', async () => {
    const own = new HttpRegistryClient({ limits: fast });
    const credentials = credentialsOf(JSON.stringify({ auths: { [registry.host]: { auth } } }));
    expect((await pullCatalog(own, reference, { credentials })).digest).toBe(image.manifest.digest);
    expect(registry.log.filter((line) => line.includes('/token')).length).toBe(scheme === 'bearer' ? 1 : 0);
    await pushImage(own, `${registry.host}/acme/catalog:v2`, image, { credentials });
  });

  it.each([
    { because: 'none given', credentials: {}, says: 'no credentials were given' },
    {
      because: 'for another host only',
      credentials: { 'quay.io': { username: 'me', password: SECRET } },
      says: 'no credentials were given',
    },
    {
      because: 'wrong ones',
      credentials: { '127.0.0.1:*': { username: 'me', password: `${SECRET}!` } },
      says: 'were refused',
    },
  ])('refuses, and nothing secret is shown: $because', async ({ credentials, says }) => {
    const given = Object.fromEntries(
      Object.entries(credentials).map(([host, login]) => [host.replace('127.0.0.1:*', registry.host), login]),
    );
    const error = await new HttpRegistryClient({ limits: fast })
      .resolve(reference, { credentials: given })
      .catch((e: unknown) => e);
    expect(error).toEqual(failure('Unauthorized', reference, says, 'pull secret'));
    expect(JSON.stringify(error) + String(error)).not.toContain(SECRET);
  });

  it('one client does not lend a login to those who have none', async () => {
    const own = new HttpRegistryClient({ limits: fast });
    await own.resolve(reference, { credentials: { [registry.host]: { username: 'me', password: SECRET } } });
    await expect(own.resolve(reference)).rejects.toEqual(failure('Unauthorized'));
  });
});

describe('a client with a content store', () => {
  it('pulls each blob once, however many pull it at a time', async () => {
    const cached = new HttpRegistryClient({ store: new MemoryContentStore(), limits: fast });
    const pulls = await Promise.all([1, 2, 3, 4, 5].map(() => pullCatalog(cached, reference)));
    expect(new Set(pulls.map(({ digest }) => digest))).toEqual(new Set([image.manifest.digest]));
    expect(registry.requests.blobs).toBe(2);
  });

  it('never keeps a blob with a wrong digest', async () => {
    const cached = new HttpRegistryClient({ store: new MemoryContentStore(), limits: fast });
    registry.failNext({ path: /blobs/, status: 200, body: 'x'.repeat(image.config.bytes.length) });
    await expect(pullCatalog(cached, reference)).rejects.toEqual(failure('DigestMismatch'));
    expect((await pullCatalog(cached, reference)).digest).toBe(image.manifest.digest);
  });

  it('does not keep layers that are unpacked to disk: their files are there already', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'flotilla-unpacked-'));
    const store = new MemoryContentStore();
    const caching = new HttpRegistryClient({ store, limits: fast });
    expect((await pullCatalogTo(caching, reference, join(directory, 'catalog'))).files).toBe(1);
    for (const { digest } of image.layers) expect(await store.get(digest)).toBeUndefined();
    await rm(directory, { recursive: true, maxRetries: 5 });
  });
});

describe('a directory to unpack into', () => {
  let directory: string;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'flotilla-target-'));
  });
  afterEach(() => rm(directory, { recursive: true, force: true, maxRetries: 5 }));

  it('may be there already when it is empty', async () => {
    await pullCatalogTo(client, reference, directory);
    expect(await readdir(directory)).toEqual(['catalog.yaml']);
  });

  it('with something in it is left as it is', async () => {
    await writeFile(join(directory, 'mine'), '1');
    await expect(pullCatalogTo(client, reference, directory)).rejects.toMatchObject({
      code: 'UnpackFailed',
      message: expect.stringContaining('the directory is not empty'),
    });
    expect(await readdir(directory)).toEqual(['mine']);
  });

  it('that cannot be made is reported with its path', async () => {
    await writeFile(join(directory, 'file'), '1');
    const target = join(directory, 'file', 'catalog');
    await expect(pullCatalogTo(client, reference, target)).rejects.toMatchObject({
      code: 'UnpackFailed',
      retry: 'backoff',
      message: expect.stringContaining(target),
    });
  });

  it('gets the files for us alone', async () => {
    await pullCatalogTo(client, reference, join(directory, 'catalog'));
    const modes = await Promise.all(['catalog', 'catalog/catalog.yaml'].map((path) => stat(join(directory, path))));
    expect(modes.map(({ mode }) => mode & 0o777)).toEqual([0o700, 0o600]);
  });
});
