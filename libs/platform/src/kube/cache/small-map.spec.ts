import fc from 'fast-check';
import { expect, it } from 'vitest';
import { SmallMap } from './small-map.js';

it('has what a Map has, in any order of changes, with few entries and with many', () => {
  const change = fc.record({ key: fc.integer({ min: 0, max: 70 }).map(String), value: fc.option(fc.nat()) });
  fc.assert(
    fc.property(fc.array(change, { maxLength: 300, size: 'max' }), (changes) => {
      const small = new SmallMap<number>();
      const map = new Map<string, number>();
      for (const { key, value } of changes) {
        if (value === null) expect(small.delete(key)).toBe(map.delete(key));
        else {
          small.set(key, value);
          map.set(key, value);
        }
        expect(small.get(key)).toBe(map.get(key));
        expect(small.size).toBe(map.size);
      }
      expect(new Map(small.entries())).toEqual(map);
      expect(small.keys().sort()).toEqual([...map.keys()].sort());
    }),
  );
});

it('takes the entries it is made of', () => {
  const entries = Array.from({ length: 40 }, (_, n) => [`k${n}`, n] as const);
  expect(new SmallMap(entries).entries()).toEqual(entries);
  expect(new SmallMap(entries).get('k39')).toBe(39);
});
