import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PATIENCE } from '#testing/patience';
import { CatalogReader } from '../../libs/lifecycle/src/catalogs/contents/catalog-reader.js';

/** Threads run built files. */
const THREAD = new URL('../../dist/libs/lifecycle/src/catalogs/contents/read-catalog.thread.js', import.meta.url);

const blobs = (name: string): string =>
  [
    { schema: 'olm.package', name, defaultChannel: 'stable' },
    { schema: 'olm.channel', package: name, name: 'stable', entries: [{ name: `${name}.v1.0.0` }] },
    {
      schema: 'olm.bundle',
      package: name,
      name: `${name}.v1.0.0`,
      image: `registry.example/${name}:1`,
      properties: [{ type: 'olm.package', value: { packageName: name, version: '1.0.0' } }],
    },
  ]
    .map((blob) => JSON.stringify(blob))
    .join('\n');

describe('catalogs read in threads', () => {
  let folder: string;
  let number = 0;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'flotilla-reader-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));

  const catalog = async (text: string) => {
    number += 1;
    const directory = join(folder, `catalog-${number}`);
    const output = join(folder, `output-${number}`);
    await Promise.all([mkdir(directory), mkdir(output)]);
    await writeFile(join(directory, 'catalog.json'), text);
    return { directory, output };
  };
  const packagesOf = (read: object): unknown => JSON.parse(JSON.stringify(read)).model?.summaries[0]?.name;

  it('gives each catalog its own answer, one after the other in one thread, also after one that cannot be read', async () => {
    const reader = new CatalogReader({ threads: 1 }, THREAD);
    expect(packagesOf(await reader.read(await catalog(blobs('lamp'))))).toBe('lamp');
    expect(await reader.read(await catalog('{ broken'))).toMatchObject({ unreadable: expect.any(String) });
    const last = await catalog(blobs('torch'));
    expect(packagesOf(await reader.read(last))).toBe('torch');
    expect(await readFile(join(last.output, 'catalog.jsonl'), 'utf8')).not.toContain('lamp');
    expect(reader.idle).toBe(1);
  });

  it('reads no more of them at once than there may be threads', async () => {
    const reader = new CatalogReader({ threads: 2 }, THREAD);
    const names = ['a', 'b', 'c', 'd', 'e'];
    const requests = await Promise.all(names.map((name) => catalog(blobs(name))));
    const read = await Promise.all(requests.map((request) => reader.read(request)));
    expect(read.map(packagesOf)).toEqual(names);
    expect(reader.idle).toBe(2);
  });

  it('ends a thread that has had no catalog to read for some time', async () => {
    const reader = new CatalogReader({ idleMs: 50 }, THREAD);
    await reader.read(await catalog(blobs('lamp')));
    await expect.poll(() => reader.idle, PATIENCE).toBe(0);
    expect(packagesOf(await reader.read(await catalog(blobs('torch'))))).toBe('torch');
  });

  it('ends a read past its time with its thread; the next catalog gets another one', async () => {
    const reader = new CatalogReader({ deadlineMs: 0 }, THREAD);
    expect(await reader.read(await catalog(blobs('lamp')))).toEqual({
      undecided: 'reading it took longer than 0 s and was ended',
      isOfContent: true,
    });
    expect(reader.idle).toBe(0);
  });

  it('ends a read that takes too much memory with its thread, not with the process', async () => {
    const reader = new CatalogReader({ heapMiB: 20 }, THREAD);
    const values = `[${Array.from({ length: 450_000 }, () => '[1]').join(',')}]`;
    const huge = `{"schema":"huge","package":"huge","name":"huge","values":${values}}`;
    expect(await reader.read(await catalog(huge))).toMatchObject({ undecided: expect.any(String) });
    expect(reader.idle).toBe(0);
  });
});
