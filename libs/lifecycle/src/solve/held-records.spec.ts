import { describe, expect, it } from 'vitest';
import type { PackageRecord } from '#core/catalog/model/package-record';
import { HeldRecords } from './held-records.js';

const entry = {
  name: '',
  channel: '',
  version: '',
  replaces: '',
  skips: [],
  skipRange: '',
  properties: [],
  source: { image: '' },
};
const record = (size: number): PackageRecord => ({
  name: 'p',
  defaultChannel: '',
  entries: Array.from({ length: size }, () => entry),
});
const asked = (...sizes: readonly (readonly [string, number])[]) =>
  new Map(sizes.map(([hash, size]) => [hash, record(size)]));
const taken = ({ add, forget }: ReturnType<HeldRecords['take']>) => ({ add: [...add.keys()], forget });

describe('records that a solver thread holds', () => {
  it('are sent once', () => {
    const held = new HeldRecords(100);
    expect(taken(held.take(asked(['a', 10], ['b', 10])))).toEqual({ add: ['a', 'b'], forget: [] });
    expect(taken(held.take(asked(['a', 10], ['c', 10])))).toEqual({ add: ['c'], forget: [] });
  });
  it('go when there are too many, the least recently used first, and are sent again after', () => {
    const held = new HeldRecords(30);
    held.take(asked(['a', 10]));
    held.take(asked(['b', 10]));
    held.take(asked(['a', 10]));
    expect(taken(held.take(asked(['c', 20])))).toEqual({ add: ['c'], forget: ['b'] });
    expect(taken(held.take(asked(['b', 10])))).toEqual({ add: ['b'], forget: ['a'] });
  });
  it('stay as long as the problem at hand needs them, however many they are', () => {
    const held = new HeldRecords(30);
    expect(taken(held.take(asked(['a', 20], ['b', 20])))).toEqual({ add: ['a', 'b'], forget: [] });
    expect(taken(held.take(asked(['c', 1])))).toEqual({ add: ['c'], forget: ['a'] });
  });
});
