import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { readTree } from '#platform/files/read-tree';
import { RegistryError } from '#platform/registry/client/registry-client.port';
import { buildImage } from '#platform/registry/image-builder';
import { writeLayout } from '#platform/registry/oci-layout';
import { type InMemoryRegistry, startRegistry } from '#testing/registry/in-memory-registry';
import { UsageError } from '../terminal/io.js';
import { loadReference } from './load-reference.js';

const EXAMPLES = join(import.meta.dirname, '../../../../examples');
const PREFIX = 'operators.operatorframework.io';

let registry: InMemoryRegistry;
beforeAll(async () => {
  registry = await startRegistry();
});
afterAll(() => registry.stop());

const push = async (name: string, directory: string, below: string, labels: Record<string, string>) => {
  const files = (await readTree(directory)).map((file) => ({ ...file, path: `${below}${file.path}` }));
  registry.put(name, await buildImage({ files, labels }));
  return `${registry.host}/${name}`;
};

describe('loadReference', () => {
  it.each([
    { path: 'catalogs/v1', kind: 'catalog', because: 'a directory is a catalog' },
    { path: 'catalogs/v1/harbor-operator/catalog.yaml', kind: 'catalog', because: 'so is a single file' },
    { path: 'bundles/harbor-operator/v1.0.0', kind: 'bundle', because: 'manifests/ and metadata/ make a bundle' },
    { path: 'bundles/harbor-operator/v1.0.0/', kind: 'bundle', because: 'a trailing slash does not matter' },
  ])('$because', async ({ path, kind }) => {
    expect((await loadReference(join(EXAMPLES, path))).kind).toBe(kind);
  });

  it('loads a catalog image by its label', async () => {
    const image = await push('samples/catalog:v1', join(EXAMPLES, 'catalogs/v1'), 'configs/', {
      [`${PREFIX}.index.configs.v1`]: '/configs',
    });
    const loaded = await loadReference(image);
    expect(loaded.kind === 'catalog' && loaded.catalog.packages.map(({ name }) => name)).toEqual([
      'harbor-operator',
      'lighthouse-operator',
    ]);
  });

  it('loads a bundle image by its labels, and knows where it came from', async () => {
    const image = await push('samples/harbor:v1', join(EXAMPLES, 'bundles/harbor-operator/v1.0.0'), '', {
      [`${PREFIX}.bundle.package.v1`]: 'harbor-operator',
    });
    const loaded = await loadReference(image);
    expect(loaded.kind === 'bundle' && [loaded.image, loaded.bundle.csv.metadata.name]).toEqual([
      image,
      'harbor-operator.v1.0.0',
    ]);
  });

  it('loads an image of an OCI layout, and leaves open where its bundle will be pushed', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'layout-'));
    try {
      const files = await readTree(join(EXAMPLES, 'bundles/harbor-operator/v1.0.0'));
      const labels = { [`${PREFIX}.bundle.package.v1`]: 'harbor-operator' };
      await writeLayout(directory, 'v1', await buildImage({ files, labels }));
      const loaded = await loadReference(`oci:${directory}:v1`);
      expect(loaded).toMatchObject({ kind: 'bundle', image: '', bundle: { csv: { kind: 'ClusterServiceVersion' } } });
      for (const [reference, says] of [
        [`oci:${directory}:v2`, /no image has the tag "v2"; tags: v1/],
        [`oci:${directory}/none`, /is this an OCI layout\?/],
        ['oci:', /expected oci:DIR\[:TAG\]/],
      ] as const) {
        const loading = loadReference(reference);
        await expect(loading).rejects.toThrow(UsageError);
        await expect(loading).rejects.toThrow(says);
      }
    } finally {
      rmSync(directory, { recursive: true, maxRetries: 5 });
    }
  });

  describe('with the logins of this machine', () => {
    afterEach(() => vi.unstubAllEnvs());
    const authFile = (directory: string, text: string) => {
      writeFileSync(join(directory, 'auth.json'), text);
      vi.stubEnv('REGISTRY_AUTH_FILE', join(directory, 'auth.json'));
    };

    it('loads an image that only they may see', async () => {
      const directory = mkdtempSync(join(tmpdir(), 'logins-'));
      const guarded = await startRegistry();
      guarded.requireAuth({ username: 'ann', password: 'secret' });
      try {
        const files = await readTree(join(EXAMPLES, 'bundles/harbor-operator/v1.0.0'));
        guarded.put('harbor:v1', await buildImage({ files, labels: { [`${PREFIX}.bundle.package.v1`]: 'harbor' } }));
        const loading = loadReference(`${guarded.host}/harbor:v1`);
        await expect(loading).rejects.toThrow(RegistryError);
        await expect(loading).rejects.toThrow(`log in with "docker login ${guarded.host}"`);
        const auth = Buffer.from('ann:secret').toString('base64');
        authFile(directory, JSON.stringify({ auths: { [guarded.host]: { auth } } }));
        expect((await loadReference(`${guarded.host}/harbor:v1`)).kind).toBe('bundle');
      } finally {
        await guarded.stop();
        rmSync(directory, { recursive: true, maxRetries: 5 });
      }
    });

    it('says when they cannot be read, without quoting them', async () => {
      const directory = mkdtempSync(join(tmpdir(), 'logins-'));
      try {
        authFile(directory, '{"auths": hunter2');
        const loading = loadReference(`${registry.host}/none:v1`);
        await expect(loading).rejects.toThrow('the logins of this machine cannot be read');
        await expect(loading).rejects.not.toThrow('hunter2');
      } finally {
        rmSync(directory, { recursive: true, maxRetries: 5 });
      }
    });
  });

  it.each([
    { labels: {}, says: 'image type could not be determined, image has no labels' },
    { labels: { a: 'b' }, says: 'image type could not be determined, found labels a' },
    {
      labels: { [`${PREFIX}.index.database.v1`]: '/database' },
      says: 'sqlite-based index images are no longer supported, migrate to a file-based catalog: not allowed',
    },
  ])('refuses an image with labels $labels', async ({ labels, says }) => {
    const image = await push('samples/other:v1', join(EXAMPLES, 'catalogs/v1'), '', labels);
    const { blobs } = registry.requests;
    const loading = loadReference(image);
    await expect(loading).rejects.toThrow(UsageError);
    await expect(loading).rejects.toThrow(says);
    expect(registry.requests.blobs - blobs, 'its config alone is asked for').toBe(1);
  });

  it('leaves an image that is not there to the registry to complain about', async () => {
    await expect(loadReference(`${registry.host}/none:v1`)).rejects.toThrow(RegistryError);
  });

  it.each(['./none', '../none/catalog', '/none', 'none.yaml'])('never asks a registry for %s', async (path) => {
    const loading = loadReference(path, () => Promise.reject(new Error('a registry was asked')));
    await expect(loading).rejects.toThrow(`stat ${path}: no such file or directory`);
  });

  describe('a mistyped path', () => {
    const never = () => Promise.reject(new Error('a registry was asked'));
    const home = process.cwd();
    beforeAll(() => process.chdir(EXAMPLES));
    afterAll(() => process.chdir(home));

    it.each([
      { typed: 'catalogs/v9', says: 'stat catalogs/v9: no such file or directory' },
      { typed: 'catalgos', says: 'stat catalgos: no such file or directory (did you mean "catalogs"?)' },
      { typed: 'bundles/harbor-operatr', says: '(did you mean "harbor-operator"?)' },
    ])('$typed is not pulled as an image', async ({ typed, says }) => {
      const loading = loadReference(typed, never);
      await expect(loading).rejects.toThrow(UsageError);
      await expect(loading).rejects.toThrow(says);
      await expect(loading).rejects.toThrow('or an image with its registry and tag');
    });

    it('that may be an image is pulled, and a failure says that there is no such path', async () => {
      const failing = (reference: string) =>
        Promise.reject(new RegistryError('NotFound', reference, `image ${reference}: not found`));
      const says = 'there is no file or directory acme/catalog; as an image: image acme/catalog: not found';
      await expect(loadReference('acme/catalog', failing)).rejects.toThrow(says);
      await expect(loadReference('acme/catalog:v1', failing)).rejects.toThrow(/^image acme\/catalog:v1: not found$/);
    });
  });

  it('names the file as it was typed when it is broken', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'reference-'));
    try {
      const path = join(directory, 'catalog.yaml');
      writeFileSync(path, 'schema: olm.package\nname: https://x//y\nicon: 3\n');
      const says = `${path}:1: parse package: json: cannot unmarshal number`;
      await expect(loadReference(path)).rejects.toThrow(says);
      await expect(loadReference(directory)).rejects.toThrow(says);
    } finally {
      rmSync(directory, { recursive: true, maxRetries: 5 });
    }
  });
});
