import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ContentStore } from './content-store.port.js';
import { digestOf } from './digest.js';
import { DiskContentStore } from './disk-content-store.js';
import { HttpContentStore } from './http-content-store.js';
import { MemoryContentStore } from './memory-content-store.js';
import { contentParts } from './open-content.js';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'flotilla-content-'));
});
afterEach(() => rm(directory, { recursive: true, force: true, maxRetries: 5 }));

/** What every content store must do. */
describe.each<{ name: string; openStore: () => Promise<ContentStore> }>([
  { name: 'in memory', openStore: async () => new MemoryContentStore() },
  { name: 'on disk', openStore: () => DiskContentStore.open(join(directory, 'held')) },
  {
    name: 'read through from a peer',
    // Nothing here is asked of the peer: what it holds is the matter of its own tests.
    openStore: async () => new HttpContentStore({ baseUrl: 'http://127.0.0.1:1', cache: new MemoryContentStore() }),
  },
])('a content store $name', ({ openStore }) => {
  const large = Buffer.from(Array.from({ length: 700_000 }, (_, at) => at % 251));

  it('takes over a file: its bytes are held and the path is free', async () => {
    const store = await openStore();
    const path = join(directory, 'file');
    await writeFile(path, large);
    expect(await store.putFile(path)).toBe(digestOf(large));
    expect(digestOf((await store.get(digestOf(large))) ?? Buffer.alloc(0))).toBe(digestOf(large));
    expect(await readdir(directory)).not.toContain('file');
  });

  it('takes over a file that it holds already', async () => {
    const store = await openStore();
    await store.put(Buffer.from('hello'));
    const path = join(directory, 'again');
    await writeFile(path, 'hello');
    expect(await store.putFile(path)).toBe(digestOf(Buffer.from('hello')));
    expect(await readdir(directory)).not.toContain('again');
  });

  it('knows what it holds', async () => {
    const store = await openStore();
    const digest = await store.put(Buffer.from('hello'));
    expect([await store.holds(digest), await store.holds(digestOf(Buffer.from('bye')))]).toEqual([true, false]);
  });

  it('gives content in parts', async () => {
    const store = await openStore();
    const content = await store.open(await store.put(large));
    expect(content?.size).toBe(large.length);
    expect(await content?.read(0, 3)).toEqual(large.subarray(0, 3));
    expect(await content?.read(699_998, 100)).toEqual(large.subarray(699_998));
    expect((await content?.read(700_000, 100))?.length).toBe(0);
    await content?.close();
  });

  it('gives content whole, part by part', async () => {
    const store = await openStore();
    const content = await store.open(await store.put(large));
    expect(content && digestOf(await buffer(contentParts(content)))).toBe(digestOf(large));
  });
});

describe('a content store that does not hold what is asked for', () => {
  it.each<{ name: string; openStore: () => Promise<ContentStore> }>([
    { name: 'in memory', openStore: async () => new MemoryContentStore() },
    { name: 'on disk', openStore: () => DiskContentStore.open(directory) },
  ])('says so: $name', async ({ openStore }) => {
    const store = await openStore();
    expect(await store.open(digestOf(Buffer.from('x')))).toBeUndefined();
    expect(await store.open('sha256:../secret')).toBeUndefined();
  });
});

describe('a damaged file on disk', () => {
  it('is not opened, and can be put again', async () => {
    const digest = await (await DiskContentStore.open(directory)).put(Buffer.from('hello'));
    const store = await DiskContentStore.open(directory);
    await writeFile(join(directory, 'sha256', digest.slice(7)), 'HELLO');
    expect(await store.open(digest)).toBeUndefined();
    await store.put(Buffer.from('hello'));
    expect((await store.open(digest))?.size).toBe(5);
  });

  it('that was replaced after it was checked is checked again', async () => {
    const store = await DiskContentStore.open(directory);
    const digest = await store.put(Buffer.from('hello'));
    await (await store.open(digest))?.close();
    const file = join(directory, 'sha256', digest.slice(7));
    await writeFile(`${file}.new`, 'HELLO');
    await rm(file);
    await writeFile(file, 'HELLO');
    expect(await store.open(digest)).toBeUndefined();
  });
});
