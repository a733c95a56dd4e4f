import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { MemoryContentStore } from '#platform/content/memory-content-store';
import { CATALOG_LABEL } from '#platform/registry/catalog-image';
import { HttpRegistryClient } from '#platform/registry/http-registry-client';
import { buildImage } from '#platform/registry/image-builder';
import { type InMemoryRegistry, startRegistry } from '#testing/registry/in-memory-registry';
import { CatalogContents } from '../contents/catalog-contents.js';
import { readCatalog } from '../contents/read-catalog.js';
import { loadImageJsonl } from './image-jsonl.js';

let registry: InMemoryRegistry;
let folder: string;
let store: MemoryContentStore;
beforeEach(async () => {
  [registry, folder] = await Promise.all([startRegistry(), mkdtemp(join(tmpdir(), 'image-jsonl-'))]);
  store = new MemoryContentStore();
});
afterEach(() => Promise.all([registry.stop(), rm(folder, { recursive: true, maxRetries: 5 })]));

const push = async (yaml: string, labels: Record<string, string> = { [CATALOG_LABEL]: '/configs' }) =>
  registry.put(
    'shelf/shop:v1',
    await buildImage({ files: [{ path: 'configs/a.yaml', bytes: Buffer.from(yaml) }], labels }),
  );

/** With the hub's own login for the registry. */
function load(ref: string, password = 'right') {
  const images = new HttpRegistryClient({ limits: { attempts: 1 } });
  const contents = new CatalogContents(images, store, folder, { read: (request) => readCatalog(request) });
  const credentials = async () => ({ [registry.host]: { username: 'hub', password } });
  return loadImageJsonl(ref, { contents, credentials });
}

describe('the content of a catalog image', () => {
  it('is had with the hub’s own login, and named by its digest', async () => {
    const digest = await push('schema: note\nname: one\n');
    registry.requireAuth({ username: 'hub', password: 'right' });
    const { ref, content } = await load(`${registry.host}/shelf/shop:v1`);
    expect(ref).toBe(`${registry.host}/shelf/shop@${digest}`);
    expect(Buffer.from((await store.get(content)) ?? []).toString()).toBe('{"name":"one","schema":"note"}\n');
  });

  it('is refused with a wrong login, which appears in no text', async () => {
    await push('schema: note\n');
    registry.requireAuth({ username: 'hub', password: 'right' });
    const refused = load(`${registry.host}/shelf/shop:v1`, 'wr0ng-pass');
    await expect(refused).rejects.toMatchObject({ problem: { kind: 'pull', why: expect.stringContaining('refused') } });
    await expect(refused).rejects.not.toMatchObject({ problem: { why: expect.stringContaining('wr0ng-pass') } });
  });

  it.each([
    { because: 'no reference', ref: () => 'Not/A Reference', problem: { kind: 'unparsable' } },
    { because: 'not there', ref: () => `${registry.host}/shelf/none:v1`, problem: { kind: 'pull' } },
    {
      because: 'a SQLite index',
      labels: { 'operators.operatorframework.io.index.database.v1': '/database/index.db' },
      problem: { kind: 'label missing' },
    },
    {
      because: 'a label that names nothing',
      labels: { [CATALOG_LABEL]: '/elsewhere' },
      problem: { kind: 'pull', why: expect.stringContaining('names "/elsewhere"') },
    },
    {
      because: 'a blob twice named',
      yaml: 'schema: note\nSchema: other\n',
      problem: { kind: 'store', why: expect.stringContaining('duplicate keys for key "schema"') },
    },
  ])('there is none: $because', async ({ ref, labels, yaml = 'schema: note\n', problem }) => {
    await push(yaml, labels);
    await expect(load(ref?.() ?? `${registry.host}/shelf/shop:v1`)).rejects.toMatchObject({ problem });
  });
});
