import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ContentStoreFull } from '#platform/content/content-errors';
import type { Digest } from '#platform/content/content-store.port';
import { DiskContentStore } from '#platform/content/disk-content-store';

const KiB = 1_024;

describe('the content store on a disk that is full', () => {
  const directory = mkdtempSync(join(tmpdir(), 'flotilla-small-disk-'));
  let whyNot: string | undefined;
  beforeAll(() => {
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', directory], { stdio: 'pipe' });
    } catch {
      whyNot = 'not tried: mounting a small disk needs root and a system that lets it';
      console.log(whyNot);
    }
  });
  afterAll(() => {
    if (whyNot === undefined) execFileSync('umount', [directory]);
    rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
  });

  it('drops the older half of what it holds to take a new blob, and gives out nothing damaged', async () => {
    if (whyNot !== undefined) return;
    const store = await DiskContentStore.open(directory); // whose own bound is far above the disk's size
    const digests: Digest[] = [];
    for (let i = 0; i < 12; i++) digests.push(await store.put(randomBytes(200 * KiB)));
    const held = await Promise.all(digests.map(async (digest) => (await store.get(digest)) !== undefined));
    expect(held.at(-1)).toBe(true);
    expect(held[0]).toBe(false);
    expect(readdirSync(join(directory, 'incoming'))).toEqual([]);
  });

  it('says so when even an empty store has no room for the blob, and goes on afterwards', async () => {
    if (whyNot !== undefined) return;
    const store = await DiskContentStore.open(directory);
    await expect(store.put(randomBytes(2_000 * KiB))).rejects.toThrow(ContentStoreFull);
    const small = randomBytes(KiB);
    expect(await store.get(await store.put(small))).toEqual(small);
    expect(readdirSync(join(directory, 'incoming'))).toEqual([]);
  });
});
