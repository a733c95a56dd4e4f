import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CATALOG_LABEL, pullCatalog } from '#platform/registry/catalog-image';
import { buildImage } from '#platform/registry/image-builder';
import { OciLayoutClient, writeLayout } from '#platform/registry/oci-layout';

const imageOf = (text: string) =>
  buildImage({ files: [{ path: 'configs/a', bytes: Buffer.from(text) }], labels: { [CATALOG_LABEL]: '/configs' } });
const client = new OciLayoutClient();

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'flotilla-layout-'));
});
afterEach(() => rm(directory, { recursive: true, force: true, maxRetries: 5 }));
const content = async (reference: string) => {
  const { files } = await pullCatalog(client, reference);
  return Buffer.from(files[0]?.bytes ?? []).toString();
};

describe('an OCI layout', () => {
  it('holds several images by tag; a tag moves when it is written again', async () => {
    await writeLayout(directory, 'v1', await imageOf('1'));
    await writeLayout(directory, 'v2', await imageOf('2'));
    await writeLayout(directory, 'v1', await imageOf('one'));
    expect([await content(`oci:${directory}:v1`), await content(`oci:${directory}:v2`)]).toEqual(['one', '2']);
  });

  it('needs no tag while it holds one image', async () => {
    await writeLayout(directory, 'v1', await imageOf('1'));
    expect(await content(`oci:${directory}`)).toBe('1');
    await writeLayout(directory, 'v2', await imageOf('2'));
    await expect(content(`oci:${directory}`)).rejects.toThrow('several images: name a tag; tags: v1, v2');
  });

  it('is the same byte for byte whenever it is built from the same files, in whatever order', async () => {
    const files = ['b', 'a/c', 'a/b'].map((path) => ({ path, bytes: Buffer.from(path) }));
    const first = await buildImage({ files, labels: { b: '2', a: '1' } });
    const second = await buildImage({ files: files.toReversed(), labels: { a: '1', b: '2' } });
    expect(second).toEqual(first);
  });

  it.each([
    {
      because: 'no layout',
      prepare: async () => undefined,
      tag: 'v1',
      failure: 'NotFound',
      says: 'is this an OCI layout?',
    },
    {
      because: 'no such tag',
      prepare: async (at: string) => void (await writeLayout(at, 'v1', await imageOf('1'))),
      tag: 'v9',
      failure: 'NotFound',
      says: 'no image has the tag "v9"; tags: v1',
    },
    {
      because: 'an index that is none',
      prepare: (at: string) => writeFile(join(at, 'index.json'), '[]'),
      tag: 'v1',
      failure: 'Malformed',
      says: 'not an OCI image index',
    },
    {
      because: 'a blob that was changed',
      prepare: async (at: string) => {
        const { layers } = await imageOf('1');
        await writeLayout(at, 'v1', await imageOf('1'));
        await writeFile(join(at, 'blobs/sha256', layers[0]?.digest.slice(7) ?? ''), 'other');
      },
      tag: 'v1',
      failure: 'DigestMismatch',
      says: 'ended after 5 of ',
    },
  ])('says what is wrong: $because', async ({ prepare, tag, failure, says }) => {
    await prepare(directory);
    await expect(content(`oci:${directory}:${tag}`)).rejects.toMatchObject({
      failure,
      message: expect.stringContaining(says),
    });
  });

  it('never overwrites an index.json that is not one', async () => {
    await writeFile(join(directory, 'index.json'), 'mine');
    await expect(writeLayout(directory, 'v1', await imageOf('1'))).rejects.toThrow('remove it first');
    expect(await readFile(join(directory, 'index.json'), 'utf8')).toBe('mine');
  });
});
