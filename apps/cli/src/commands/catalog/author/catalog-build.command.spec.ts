import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadCatalog } from '#core/catalog/load/load-catalog';
import { readCatalogTree } from '#platform/files/read-tree';
import { pullBundle } from '#platform/registry/bundle-image';
import { pullCatalog } from '#platform/registry/catalog-image';
import { GrpcCatalogClient } from '#platform/registry/grpc/grpc-catalog-client';
import { HttpRegistryClient } from '#platform/registry/http-registry-client';
import { OciLayoutClient } from '#platform/registry/oci-layout';
import { type InMemoryRegistry, startRegistry } from '#testing/registry/in-memory-registry';
import { recorder, runFlotilla } from '../../../run-flotilla.fixture.js';
import { serveUntil } from '../serve/catalog-serve.command.js';

const EXAMPLES = join(import.meta.dirname, '../../../../../../examples');
const CATALOG = join(EXAMPLES, 'catalogs/v1');
const BUNDLE = join(EXAMPLES, 'bundles/harbor-operator/v1.0.0');

const flotilla = (...argv: string[]) => runFlotilla(argv);

let root: string;
let registry: InMemoryRegistry;
beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), 'catalog-build-'));
  registry = await startRegistry();
});
afterEach(async () => {
  await registry.stop();
  rmSync(root, { recursive: true, maxRetries: 5 });
});
const write = (path: string, text: string) => {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
};
const DIGEST = /@sha256:[0-9a-f]{64}\n$/;

describe('catalog build and push', () => {
  it('the image in a layout and in a registry is the same, and holds the catalog', async () => {
    const layout = `oci:${join(root, 'images')}:v1`;
    const image = `${registry.host}/acme/catalog:v1`;
    const built = await flotilla('catalog', 'build', CATALOG, layout);
    const pushed = await flotilla('catalog', 'push', CATALOG, image);
    expect(built).toEqual({ out: expect.stringMatching(DIGEST), err: '', exit: 0 });
    expect(pushed.out.split('@')[1]).toBe(built.out.split('@')[1]);
    expect(pushed.out).toMatch(`${registry.host}/acme/catalog@sha256:`);

    const files = (await readCatalogTree(CATALOG)).map(({ path }) => path);
    for (const pulled of [
      await pullCatalog(new OciLayoutClient(), layout),
      await pullCatalog(new HttpRegistryClient(), image),
    ]) {
      expect(pulled.files.map(({ path }) => path)).toEqual(files.toSorted());
    }
  });

  it('what .indexignore leaves out is not in the image', async () => {
    write('cat/.indexignore', 'notes\n');
    write('cat/notes', 'private');
    await flotilla('catalog', 'build', join(root, 'cat'), `oci:${root}/images:v1`);
    const { files } = await pullCatalog(new OciLayoutClient(), `oci:${root}/images:v1`);
    expect(files.map(({ path }) => path)).toEqual(['.indexignore']);
  });

  it('an invalid catalog is not built: the problems are printed, exit 1', async () => {
    write('cat/catalog.yaml', 'schema: olm.package\nname: foo\n');
    const { err, exit } = await flotilla('catalog', 'build', join(root, 'cat'), `oci:${root}/images:v1`);
    expect(exit).toBe(1);
    expect(err).toContain('default channel must be set');
  });

  it.each([
    { argv: ['build', CATALOG, 'images:v1'], says: 'write oci:DIR:TAG', exit: 2, because: 'no layout' },
    { argv: ['build', CATALOG, 'oci:images'], says: 'write oci:DIR:TAG', exit: 2, because: 'a layout without a tag' },
    { argv: ['push', CATALOG, 'oci:images:v1'], says: 'use "build"', exit: 2, because: 'a layout is not pushed to' },
    { argv: ['push', CATALOG, 'Not/An Image'], says: 'invalid image reference', exit: 2, because: 'no reference' },
    {
      argv: ['build', '/nowhere', 'oci:images:v1'],
      says: 'no such file or directory',
      exit: 2,
      because: 'no directory',
    },
    {
      argv: ['push', CATALOG, '127.0.0.1:1/x:v1'],
      says: 'cannot reach registry 127.0.0.1:1',
      exit: 3,
      because: 'no registry',
    },
  ])('one line and exit $exit: $because', async ({ argv, says, exit }) => {
    const result = await flotilla('catalog', ...argv);
    expect(result).toEqual({ out: '', err: expect.stringContaining(says), exit });
    expect(result.err.trim().split('\n')).toHaveLength(1);
  });
});

it('a push without a login names the command that logs in', async () => {
  const guarded = await startRegistry();
  guarded.requireAuth({ username: 'ann', password: 'secret' });
  try {
    const { err, exit } = await flotilla('catalog', 'push', CATALOG, `${guarded.host}/acme/catalog:v1`);
    expect(exit).toBe(3);
    expect(err).toContain(`log in with "docker login ${guarded.host}"`);
    expect(err).not.toContain('pull secret');
  } finally {
    await guarded.stop();
  }
});

describe('bundle build and push', () => {
  it('the image carries the annotations as labels, and manifests and metadata alone', async () => {
    const image = `${registry.host}/acme/harbor-bundle:v1.0.0`;
    const pushed = await flotilla('bundle', 'push', BUNDLE, image);
    expect(pushed).toEqual({ out: expect.stringMatching(DIGEST), err: '', exit: 0 });
    const { labels, files } = await pullBundle(new HttpRegistryClient(), image);
    expect(labels['operators.operatorframework.io.bundle.package.v1']).toBe('harbor-operator');
    expect(new Set(files.map(({ path }) => path.split('/')[0]))).toEqual(new Set(['manifests', 'metadata']));
    const built = await flotilla('bundle', 'build', BUNDLE, `oci:${root}/images:harbor`);
    expect(built.out.split('@')[1]).toBe(pushed.out.split('@')[1]);
  });

  it('what is not a bundle is not built, exit 1', async () => {
    write('dir/manifests/a.yaml', 'kind: ConfigMap\napiVersion: v1\nmetadata: {name: a}\n');
    const { err, exit } = await flotilla('bundle', 'build', join(root, 'dir'), `oci:${root}/images:v1`);
    expect({ err, exit }).toEqual({ err: expect.stringContaining('no csv in bundle'), exit: 1 });
  });
});

describe('catalog serve', () => {
  const place = { host: '127.0.0.1', port: 0 };

  it('prints its address and answers there until it is asked to stop', async () => {
    const { result, io } = recorder();
    const stop = Promise.withResolvers<void>();
    const catalog = loadCatalog(await readCatalogTree(CATALOG));
    const serving = serveUntil(stop.promise, { reference: CATALOG, catalog }, place, io);
    await expect.poll(() => result.out).toMatch(/^serving 2 packages over gRPC at 127\.0\.0\.1:\d+\n$/);
    const client = new GrpcCatalogClient(result.out.trim().split(' ').at(-1) ?? '');
    expect(await client.listPackages()).toEqual(['harbor-operator', 'lighthouse-operator']);
    client.close();
    stop.resolve();
    await serving;
    expect(result.exit).toBe(0);
  });

  it('refuses a catalog that opm would not serve, exit 1', async () => {
    const { result, io } = recorder();
    const catalog = loadCatalog([{ path: 'c', bytes: Buffer.from('schema: olm.package\nname: foo\n') }]);
    await serveUntil(Promise.resolve(), { reference: 'c', catalog }, place, io);
    expect(result).toMatchObject({ exit: 1, err: expect.stringContaining('process package "foo": invalid index') });
  });

  it('says when the port is taken, exit 2', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const address = other.address();
    const port = address !== null && typeof address === 'object' ? `${address.port}` : '';
    const { err, exit } = await flotilla('catalog', 'serve', CATALOG, '--grpc', '--port', port);
    expect({ err, exit }).toEqual({ err: expect.stringContaining('choose another port'), exit: 2 });
    other.close();
  });

  it.each([
    { argv: [CATALOG, '--grpc', '--name', 'x'], says: '--name is for HTTP' },
    { argv: [CATALOG, '--name', 'Big'], says: '"Big" cannot be the name of a catalog' },
    { argv: [CATALOG, '--grpc', '--port', 'x'], says: 'invalid --port "x"' },
    { argv: [BUNDLE, '--grpc'], says: 'is a bundle' },
  ])('bad usage: $says', async ({ argv, says }) => {
    expect(await flotilla('catalog', 'serve', ...argv)).toMatchObject({ exit: 2, err: expect.stringContaining(says) });
  });
});
