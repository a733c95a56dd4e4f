import { beforeEach, describe, expect, it } from 'vitest';
import { CachedValues } from './cached-values.js';

let reads: string[];
let stored: Map<string, string>;
beforeEach(() => {
  reads = [];
  stored = new Map([...'abcd'].map((hash) => [hash, hash.repeat(8)]));
});
const read = async (hash: string) => {
  reads.push(hash);
  return stored.get(hash);
};
/** Each value has ten bytes as JSON. */
const cache = (values: number) => new CachedValues(read, values * 10);

describe('CachedValues', () => {
  it('reads a value once', async () => {
    const values = cache(5);
    expect([await values.get('a'), await values.get('a')]).toEqual(['aaaaaaaa', 'aaaaaaaa']);
    expect(reads).toEqual(['a']);
  });

  it('reads once for all who ask at the same time', async () => {
    const values = cache(0);
    expect(await Promise.all([values.get('a'), values.get('a'), values.get('b')])).toEqual([
      'aaaaaaaa',
      'aaaaaaaa',
      'bbbbbbbb',
    ]);
    expect(reads).toEqual(['a', 'b']);
  });

  it('does not remember what the store does not have', async () => {
    const values = cache(5);
    expect(await values.get('x')).toBeUndefined();
    stored.set('x', 'there now');
    expect(await values.get('x')).toBe('there now');
  });

  it('drops what was not used for the longest time', async () => {
    const values = cache(2);
    for (const hash of ['a', 'b', 'a', 'c']) await values.get(hash);
    expect(reads.splice(0)).toEqual(['a', 'b', 'c']);
    for (const hash of ['a', 'c']) await values.get(hash);
    expect(reads).toEqual([]);
    await values.get('b');
    expect(reads).toEqual(['b']);
  });

  it('keeps no value that is larger than all may be together, and drops none for it', async () => {
    const values = cache(2);
    stored.set('large', 'x'.repeat(100));
    for (const hash of ['a', 'b', 'large', 'a', 'b', 'large']) await values.get(hash);
    expect(reads).toEqual(['a', 'b', 'large', 'large']);
  });

  it('asks again after a read that failed', async () => {
    let fails = true;
    const sometimes = async (hash: string) => {
      if (fails) throw new Error('Redis is away');
      return hash;
    };
    const values = new CachedValues(sometimes, 100);
    await expect(values.get('a')).rejects.toThrow('Redis is away');
    fails = false;
    expect(await values.get('a')).toBe('a');
  });

  it('counts bytes, not letters', async () => {
    stored.set('a', '€€€€€€€€');
    const values = cache(2);
    for (const hash of ['a', 'a']) await values.get(hash);
    expect(reads).toEqual(['a', 'a']);
  });
});
