import { describe, expect, it } from 'vitest';
import type { PackageRecord } from '#core/catalog/model/package-record';
import { RecordCache } from './record-cache.js';

const record = (name: string): PackageRecord => ({ name, defaultChannel: 'stable', entries: [] });
const ONE_RECORD = JSON.stringify(record('a')).length;

/** A store that records its requests. */
function store(...names: string[]) {
  const held = new Map(names.map((name) => [`hash-${name}`, record(name)]));
  const asked: string[] = [];
  const getRecord = async (hash: string) => {
    asked.push(hash);
    return held.get(hash);
  };
  return { held, asked, getRecord };
}

describe('RecordCache', () => {
  it('asks the store once for a record, also for many who ask at the same time', async () => {
    const behind = store('a');
    const cache = new RecordCache(behind, 10_000);
    const answers = await Promise.all([cache.get('hash-a'), cache.get('hash-a')]);
    answers.push(await cache.get('hash-a'));
    expect(answers).toEqual([record('a'), record('a'), record('a')]);
    expect(behind.asked).toEqual(['hash-a']);
  });

  it('does not remember that a record was missing: the poller may store it at any time', async () => {
    const behind = store();
    const cache = new RecordCache(behind, 10_000);
    expect(await cache.get('hash-a')).toBeUndefined();
    behind.held.set('hash-a', record('a'));
    expect(await cache.get('hash-a')).toEqual(record('a'));
  });

  it('a store that fails once is asked again', async () => {
    const behind = store('a');
    let failures = 1;
    const getRecord = async (hash: string) => {
      failures -= 1;
      if (failures >= 0) throw new Error('Redis is away');
      return behind.getRecord(hash);
    };
    const cache = new RecordCache({ getRecord }, 10_000);
    await expect(cache.get('hash-a')).rejects.toThrow('Redis is away');
    expect(await cache.get('hash-a')).toEqual(record('a'));
  });

  it('beyond its bound lets the least recently used record go', async () => {
    const behind = store('a', 'b', 'c');
    const cache = new RecordCache(behind, 2 * ONE_RECORD);
    for (const name of ['a', 'b', 'a', 'c', 'a', 'b']) await cache.get(`hash-${name}`);
    expect(behind.asked).toEqual(['hash-a', 'hash-b', 'hash-c', 'hash-b']);
  });

  it('does not empty itself for a record that could never be held', async () => {
    const behind = store('a');
    behind.held.set('hash-large', record('large'.repeat(100)));
    const cache = new RecordCache(behind, 2 * ONE_RECORD);
    for (const name of ['a', 'large', 'a', 'large']) await cache.get(`hash-${name}`);
    expect(behind.asked).toEqual(['hash-a', 'hash-large', 'hash-large']);
  });
});
