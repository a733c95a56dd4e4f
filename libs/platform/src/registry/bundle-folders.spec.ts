import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type InMemoryRegistry, startRegistry } from '#testing/registry/in-memory-registry';
import { MemoryContentStore } from '../content/memory-content-store.js';
import { BundleLabel, pullBundle } from './bundle-image.js';
import { RecentImages } from './client/recent-images.js';
import { HttpRegistryClient } from './http-registry-client.js';
import { FailedPulls } from './image/failed-pulls.js';
import { buildImage } from './image-builder.js';

const LARGE = 6_000;
const NOW = Date.parse('2026-11-29T12:00:00Z');

let registry: InMemoryRegistry;
let client: HttpRegistryClient;
beforeEach(async () => {
  registry = await startRegistry();
  const failedPulls = new FailedPulls(() => NOW);
  client = new HttpRegistryClient({
    limits: { attempts: 1, wantedBytes: 10_000 },
    failedPulls,
    store: new MemoryContentStore(),
  });
});
afterEach(() => registry.stop());

/** Files by path and size; the annotations name one folder of manifests, the labels another one. */
async function put(sizes: Readonly<Record<string, number>>, annotated = 'deploy/', labelled = 'manifests/') {
  const text = `annotations:\n  ${BundleLabel.package}: gear\n  ${BundleLabel.manifests}: ${annotated}\n`;
  const files = Object.entries(sizes).map(([path, size]) => ({ path, bytes: Buffer.alloc(size, path) }));
  const all = [...files, { path: 'metadata/annotations.yaml', bytes: Buffer.from(text) }];
  registry.put('acme/gear:v1', await buildImage({ files: all, labels: { [BundleLabel.manifests]: labelled } }));
}

const recent = new RecentImages({ maxBytes: 2 ** 20, keptMs: 60_000 });
const pull = (options = {}) => pullBundle(client, `${registry.host}/acme/gear:v1`, options);
const pathsOf = async (options = {}) => (await pull(options)).files.map(({ path }) => path);

describe('an image whose annotations name another folder of manifests than its labels', () => {
  const small = { 'deploy/new.yaml': 5, 'manifests/old.yaml': 5 };

  it('is pulled once: its manifest, its config and each layer are asked for one time', async () => {
    await put(small);
    expect(await pathsOf()).toEqual(['manifests/new.yaml', 'metadata/annotations.yaml']);
    expect(registry.requests).toEqual({ total: 3, manifests: 1, blobs: 2 });
  });

  it('is kept as one that was read a short while ago', async () => {
    await put(small);
    const first = await pull({ recent });
    const before = registry.requests.total;
    const second = await pull({ recent });
    expect(second.files, 'by which what is read of them is found again').toBe(first.files);
    expect(registry.requests.total - before).toBe(1);
  });

  it('is read although the folder of its labels is too large', async () => {
    await put({ 'deploy/new.yaml': 5, 'manifests/a': LARGE, 'manifests/b': LARGE });
    expect(await pathsOf()).toEqual(['manifests/new.yaml', 'metadata/annotations.yaml']);
  });

  it('says which folder is too large, and is not pulled again: OLM reads that of the annotations alone', async () => {
    await put({ 'manifests/old.yaml': 5, 'deploy/a': LARGE, 'deploy/b': LARGE });
    const failure = {
      failure: 'TooLarge',
      message: expect.stringContaining(' bytes in "/deploy/", which its annotations name; '),
    };
    await expect(pull()).rejects.toMatchObject(failure);
    const { blobs } = registry.requests;
    await expect(pull()).rejects.toMatchObject(failure);
    expect(registry.requests.blobs - blobs).toBe(0);
  });

  it('says that the folder of its labels is too large where the annotations name no other one', async () => {
    await put({ 'manifests/a': LARGE, 'manifests/b': LARGE }, 'manifests');
    await expect(pull()).rejects.toThrow('bytes in "/manifests/"; this digest');
    await put({ 'manifests/a': LARGE, 'manifests/b': LARGE }, 'none');
    await expect(pull()).rejects.toThrow('bytes in "/manifests/"; this digest');
  });
});
