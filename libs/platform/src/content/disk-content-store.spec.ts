import { mkdtemp, readdir, rm, stat, truncate, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ContentStoreFull } from './content-errors.js';
import type { Digest } from './content-store.port.js';
import { digestOf } from './digest.js';
import { DiskContentStore } from './disk-content-store.js';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'flotilla-content-'));
});
afterEach(() => rm(directory, { recursive: true, force: true, maxRetries: 5 }));

const text = (value: string) => Buffer.from(value);
const fileOf = (digest: Digest) => join(directory, 'sha256', digest.slice(7));

const anHourAgo = (): [number, number] => [Date.now() / 1_000 - 3_600, Date.now() / 1_000 - 3_600];

/** A clock that moves on by itself, so that "least recently used" does not depend on the machine's speed. */
const ticking = () => {
  let tick = Date.UTC(2026, 0, 1);
  return () => {
    tick += 1_000;
    return new Date(tick);
  };
};

describe('DiskContentStore', () => {
  it('gives back what was put, also after a restart', async () => {
    const store = await DiskContentStore.open(directory);
    const digest = await store.put(text('hello'));
    expect(digest).toBe(digestOf(text('hello')));
    expect(await store.get(digest)).toEqual(text('hello'));
    const again = await DiskContentStore.open(directory);
    expect(await again.get(digest)).toEqual(text('hello'));
  });

  it('answers undefined for what it does not hold, and for what is no digest at all', async () => {
    const store = await DiskContentStore.open(directory);
    await writeFile(join(directory, 'secret'), 'secret');
    expect(await store.get(digestOf(text('x')))).toBeUndefined();
    expect(await store.get('sha256:../secret')).toBeUndefined();
  });

  it.each([
    { name: 'cut short', damage: (file: string) => truncate(file, 3) },
    { name: 'overwritten', damage: (file: string) => writeFile(file, 'HELLO') },
    { name: 'emptied', damage: (file: string) => truncate(file, 0) },
    { name: 'removed', damage: (file: string) => rm(file) },
  ])('a blob that was $name is not given out and can be put again', async ({ damage }) => {
    const store = await DiskContentStore.open(directory);
    const digest = await store.put(text('hello'));
    await damage(fileOf(digest));
    expect(await store.get(digest)).toBeUndefined();
    await store.put(text('hello'));
    expect(await store.get(digest)).toEqual(text('hello'));
  });

  it('a half-written blob of a killed process is swept away and never given out', async () => {
    const first = await DiskContentStore.open(directory);
    await first.put(text('whole'));
    const half = join(directory, 'incoming', 'half');
    await writeFile(half, 'hel');
    await utimes(half, ...anHourAgo());
    const store = await DiskContentStore.open(directory);
    expect(await readdir(join(directory, 'incoming'))).toEqual([]);
    expect(await store.get(digestOf(text('hello')))).toBeUndefined();
  });

  it('what another process that shares the directory is writing is left alone', async () => {
    await DiskContentStore.open(directory);
    await writeFile(join(directory, 'incoming', 'being-written'), 'hel');
    await DiskContentStore.open(directory);
    expect(await readdir(join(directory, 'incoming'))).toEqual(['being-written']);
  });

  it('beyond its bound the least recently used blobs go', async () => {
    const store = await DiskContentStore.open(directory, { maxBytes: 100, now: ticking() });
    const [a, b, c] = [Buffer.alloc(30, 'a'), Buffer.alloc(30, 'b'), Buffer.alloc(30, 'c')];
    for (const bytes of [a, b, c]) await store.put(bytes);
    await store.get(digestOf(a));
    await store.put(Buffer.alloc(30, 'd'));
    expect(await store.get(digestOf(b))).toBeUndefined();
    expect(await store.get(digestOf(a))).toEqual(a);
    const sizes = await Promise.all(
      (await readdir(join(directory, 'sha256'))).map(
        async (name) => (await stat(join(directory, 'sha256', name))).size,
      ),
    );
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(100);
  });

  it('keeps its bound with many puts at once, and holds what was put last', async () => {
    const store = await DiskContentStore.open(directory, { maxBytes: 100, now: ticking() });
    const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
    // In the order in which they were done: the disk says which comes first.
    const digests: Digest[] = [];
    await Promise.all(names.map(async (name) => digests.push(await store.put(Buffer.alloc(40, name)))));
    const held = await Promise.all(digests.map((digest) => store.holds(digest)));
    expect(held.filter(Boolean).length).toBeLessThanOrEqual(2);
    expect(held.at(-1)).toBe(true);
    expect(await readdir(join(directory, 'incoming'))).toEqual([]);
  });

  it('takes a smaller bound into account when it is opened', async () => {
    const large = await DiskContentStore.open(directory, { now: ticking() });
    for (const name of ['a', 'b', 'c', 'd']) await large.put(Buffer.alloc(30, name));
    await DiskContentStore.open(directory, { maxBytes: 70 });
    expect((await readdir(join(directory, 'sha256'))).length).toBe(2);
  });

  it('refuses a blob that is larger than the whole store, and keeps what it has', async () => {
    const store = await DiskContentStore.open(directory, { maxBytes: 10 });
    const digest = await store.put(text('kept'));
    await expect(store.put(Buffer.alloc(11))).rejects.toThrow(ContentStoreFull);
    expect(await store.get(digest)).toEqual(text('kept'));
  });

  it('many puts of the same bytes at once are one blob', async () => {
    const store = await DiskContentStore.open(directory);
    const digests = await Promise.all(Array.from({ length: 20 }, () => store.put(text('same'))));
    expect(new Set(digests).size).toBe(1);
    expect(await readdir(join(directory, 'sha256'))).toHaveLength(1);
    expect(await readdir(join(directory, 'incoming'))).toHaveLength(0);
  });
});
