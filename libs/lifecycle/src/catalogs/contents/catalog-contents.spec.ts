import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { canonicalHash } from '#core/kernel/canonical/canonical-json';
import type { Digest } from '#platform/content/content-store.port';
import { DiskContentStore } from '#platform/content/disk-content-store';
import { CATALOG_LABEL } from '#platform/registry/catalog-image';
import { HttpRegistryClient } from '#platform/registry/http-registry-client';
import { buildImage } from '#platform/registry/image-builder';
import { type InMemoryRegistry, startRegistry } from '#testing/registry/in-memory-registry';
import { CatalogContents, InvalidCatalog } from './catalog-contents.js';
import { readCatalog } from './read-catalog.js';

const NO_LOGIN = { credentials: {} };

let registry: InMemoryRegistry;
let directory: string;
beforeEach(async () => {
  registry = await startRegistry();
  directory = await mkdtemp(join(tmpdir(), 'flotilla-contents-'));
});
afterEach(async () => {
  await registry.stop();
  await rm(directory, { recursive: true, force: true, maxRetries: 5 });
});

const push = async (files: Readonly<Record<string, string>>): Promise<string> => {
  const placed = Object.entries(files).map(([path, text]) => ({ path: `configs/${path}`, bytes: Buffer.from(text) }));
  registry.put('shelf/catalog:1', await buildImage({ files: placed, labels: { [CATALOG_LABEL]: '/configs' } }));
  return `${registry.host}/shelf/catalog:1`;
};

const bundle = (more = 'image: registry.example/ant:v1') => `schema: olm.bundle
package: ant
name: ant.v1.0.0
${more}
properties:
- {type: olm.package, value: {packageName: ant, version: 1.0.0}}
- {type: olm.csv.metadata, value: {displayName: Ant <3, description: "${'words '.repeat(50)}"}}
`;
const catalog = (...more: string[]) =>
  [
    'schema: olm.package\nname: ant\ndefaultChannel: stable\n',
    'schema: olm.channel\npackage: ant\nname: stable\nentries: [{name: ant.v1.0.0}]\n',
    ...more,
  ].join('---\n');

/** State of a poller from its start on; a second one is the same poller after a restart. */
async function startPoller() {
  const store = await DiskContentStore.open(join(directory, 'content'));
  const reads: string[] = [];
  const reader = {
    read: (request: Parameters<typeof readCatalog>[0]) => {
      reads.push(request.directory);
      return readCatalog(request);
    },
  };
  const contents = new CatalogContents(new HttpRegistryClient({}), store, join(directory, 'poller'), reader);
  const text = async (digest: string) => Buffer.from((await store.get(digest as Digest)) ?? '').toString();
  return { contents, store, reads, text };
}

describe('the content of a catalog image', () => {
  it('is every blob as a line of JSON, keys sorted, in the order of files and blobs', async () => {
    const image = await push({ 'b.yaml': catalog(bundle()), 'a.json': '{"schema":"z","n":1.0,"a":"<&>\u2028"}' });
    const { contents, text } = await startPoller();
    const { content, packages } = await contents.ofImage(image, NO_LOGIN);
    const lines = (await text(content)).split('\n');
    expect(packages).toBe(1);
    expect(lines.slice(0, 3)).toEqual([
      '{"a":"<&>\\u2028","n":1,"schema":"z"}',
      '{"defaultChannel":"stable","name":"ant","schema":"olm.package"}',
      '{"entries":[{"name":"ant.v1.0.0"}],"name":"stable","package":"ant","schema":"olm.channel"}',
    ]);
    expect(lines[3]).toContain('"displayName":"Ant <3"');
    expect(lines.slice(4)).toEqual(['']);
  });

  it('is pulled and read once, for all who ask and for a poller that starts anew', async () => {
    const image = await push({ 'a.yaml': catalog(bundle()) });
    const first = await startPoller();
    const [one, two] = await Promise.all([
      first.contents.ofImage(image, NO_LOGIN),
      first.contents.ofImage(image, NO_LOGIN),
    ]);
    expect(one).toEqual(two);
    expect(first.reads).toHaveLength(1);
    const blobs = registry.requests.blobs;
    const again = await startPoller();
    const three = await again.contents.ofImage(image, NO_LOGIN);
    expect({ reads: again.reads, blobs: registry.requests.blobs }).toEqual({ reads: [], blobs });
    expect([three.digest, three.content, three.packages]).toEqual([one.digest, one.content, one.packages]);
    expect(three.index.package('ant')?.record).toEqual(one.index.package('ant')?.record);
    expect(three.index.package('ant')?.hash).toBe(canonicalHash(one.index.package('ant')?.record));
    expect(await readdir(join(directory, 'poller', 'work'))).toEqual([]);
  });

  it('is resolved from without its texts', async () => {
    const image = await push({ 'a.yaml': catalog(bundle()) });
    const { index } = await (await startPoller()).contents.ofImage(image, NO_LOGIN);
    expect([...index.packagesNamed('ant')]).toEqual(['ant']);
    expect(index.package('ant')?.record.entries[0]?.properties.map(({ type }) => type)).toEqual(['olm.package']);
  });

  it('brings manifests of bundles without image, under the digest that the record names', async () => {
    const data = btoa('{"kind":"ClusterServiceVersion","apiVersion":"v1","metadata":{"name":"ant.v1.0.0"}}');
    const inline = `${bundle('image: ""')}- {type: olm.bundle.object, value: {data: ${data}}}\n`;
    const { contents, text } = await startPoller();
    const { index } = await contents.ofImage(await push({ 'a.yaml': catalog(inline) }), NO_LOGIN);
    const source = index.package('ant')?.record.entries[0]?.source;
    expect(source && 'inline' in source && JSON.parse(await text(source.inline))).toMatchObject([
      { kind: 'ClusterServiceVersion' },
    ]);
  });
});

describe('a catalog image that cannot be resolved from', () => {
  it.each([
    {
      because: 'the model is broken',
      yaml: catalog(),
      says: /a\.yaml:\d+: no olm.bundle blobs found in package "ant"/,
    },
    {
      because: 'a blob has not the fields of its schema',
      yaml: catalog(bundle('image: [1]')),
      says: /a\.yaml:10: parse bundle: json: cannot unmarshal array/,
    },
    {
      because: 'a blob has no schema, which OLM v1 stores all the same',
      yaml: catalog(bundle(), 'name: x\n'),
      says: /a\.yaml:18: object '\{"name":"x"\}\n' is missing root schema field/,
    },
  ])('can be served when its blobs are well-formed: $because', async ({ yaml, says }) => {
    const image = await push({ 'a.yaml': yaml });
    for (let start = 0; start < 2; start += 1) {
      const { contents, text, reads } = await startPoller();
      await expect(contents.ofImage(image, NO_LOGIN)).rejects.toThrow(InvalidCatalog);
      await expect(contents.ofImage(image, NO_LOGIN)).rejects.toThrow(says);
      const { content, problems } = await contents.servableImage(image, NO_LOGIN);
      expect(problems.join()).toMatch(says);
      expect((await text(content)).split('\n')).toHaveLength(yaml.split('---').length + 1);
      expect(reads).toHaveLength(start === 0 ? 1 : 0);
    }
  });

  it('because it cannot be read cannot be served either, and is not read again', async () => {
    const image = await push({ 'a.yaml': 'schema: [\n' });
    for (const reading of [1, 0]) {
      const { contents, reads } = await startPoller();
      for (const asked of [contents.ofImage(image, NO_LOGIN), contents.servableImage(image, NO_LOGIN)]) {
        await expect(asked).rejects.toThrow(
          /catalog \S+\/shelf\/catalog:1 is invalid: a\.yaml:1: error converting YAML/,
        );
      }
      expect(reads).toHaveLength(reading);
    }
  });
});

describe('what is remembered of a read image', () => {
  const descriptor = async () => {
    const [name = ''] = await readdir(join(directory, 'poller', 'catalogs'));
    return join(directory, 'poller', 'catalogs', name);
  };

  it.each([
    {
      because: 'the content store has lost it',
      damage: async () => rm(join(directory, 'content', 'sha256'), { recursive: true, maxRetries: 5 }),
    },
    {
      because: 'a release before read catalogs otherwise',
      damage: async () => {
        const file = await descriptor();
        await writeFile(file, (await readFile(file, 'utf8')).replace(/"v":\d+/, '"v":0'));
      },
    },
    { because: 'the note is damaged', damage: async () => writeFile(await descriptor(), '{"v":1') },
    {
      because: 'the note is of another image',
      damage: async () => {
        const file = await descriptor();
        const other = (await readFile(file, 'utf8')).replace(/"image":"sha256:..../, '"image":"sha256:0000');
        await writeFile(file, other);
      },
    },
  ])('is not trusted when $because', async ({ damage }) => {
    const image = await push({ 'a.yaml': catalog(bundle()) });
    const { content } = await (await startPoller()).contents.ofImage(image, NO_LOGIN);
    await damage();
    const again = await startPoller();
    expect((await again.contents.ofImage(image, NO_LOGIN)).content).toBe(content);
    expect(again.reads).toHaveLength(1);
  });

  it('is of no use where the content store is too small, which is said', async () => {
    const image = await push({ 'a.yaml': catalog(bundle()) });
    const store = await DiskContentStore.open(join(directory, 'content'), { maxBytes: 900 });
    const contents = new CatalogContents(new HttpRegistryClient({}), store, join(directory, 'poller'), {
      read: (request) => readCatalog(request),
    });
    await expect(contents.ofImage(image, NO_LOGIN)).rejects.toThrow(/FLOTILLA_CONTENT_MAX_BYTES|does not fit/);
  });

  it('is nothing when the image was too much for this time', async () => {
    const image = await push({ 'a.yaml': catalog(bundle()) });
    const answers = [{ undecided: 'reading it took too long' }];
    const reader = {
      read: async (request: Parameters<typeof readCatalog>[0]) => answers.pop() ?? readCatalog(request),
    };
    const store = await DiskContentStore.open(join(directory, 'content'));
    const contents = new CatalogContents(new HttpRegistryClient({}), store, join(directory, 'poller'), reader);
    await expect(contents.ofImage(image, NO_LOGIN)).rejects.toThrow('could not be read: reading it took too long');
    expect((await contents.ofImage(image, NO_LOGIN)).packages).toBe(1);
  });
});
