import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { RecentImages } from './recent-images.js';

const KEPT_MS = 1_000;

let images: RecentImages;
let reads: string[];
beforeEach(() => {
  vi.useFakeTimers();
  images = new RecentImages({ maxBytes: 150, keptMs: KEPT_MS });
  reads = [];
});
afterEach(() => {
  vi.useRealTimers();
});

const ask = (key: string, bytes = 40) =>
  images.of(key, async () => {
    reads.push(key);
    return { labels: { key }, files: [{ path: 'manifests/csv.yaml', bytes: Buffer.alloc(bytes) }] };
  });

describe('images that were read a short while ago', () => {
  it('are read once by each key', async () => {
    expect(await ask('a')).toBe(await ask('a'));
    expect((await ask('b')).labels).toEqual({ key: 'b' });
    expect(reads).toEqual(['a', 'b']);
  });

  it('take no more than their bytes: the least recently used one goes', async () => {
    for (const key of ['a', 'b', 'a', 'c', 'a', 'b']) await ask(key);
    expect(reads).toEqual(['a', 'b', 'c', 'b']);
  });

  it('are not kept where one alone is too large, and leave the others', async () => {
    for (const key of ['a', 'large', 'a', 'large']) await ask(key, key === 'large' ? 130 : 40);
    expect(reads).toEqual(['a', 'large', 'large']);
  });

  it('are counted with their labels: one without files may have long ones', async () => {
    const bare = (key: string) =>
      images.of(key, async () => {
        reads.push(key);
        return { labels: { note: 'x'.repeat(80) }, files: [] };
      });
    for (const key of ['a', 'b', 'a']) await bare(key);
    expect(reads).toEqual(['a', 'b', 'a']);
  });

  it('that could not be read are read again', async () => {
    const failed = images.of('a', () => Promise.reject(new Error('no answer')));
    await expect(failed).rejects.toThrow('no answer');
    await ask('a');
    expect(reads).toEqual(['a']);
  });

  it('go when they were not used for a while, without a further question', async () => {
    await ask('a');
    await ask('b');
    vi.advanceTimersByTime(KEPT_MS - 1);
    await ask('b');
    vi.advanceTimersByTime(KEPT_MS);
    expect(images.size).toBe(1);
    vi.advanceTimersByTime(KEPT_MS);
    expect(images.size).toBe(0);
    expect(vi.getTimerCount()).toBe(0);
  });
});
