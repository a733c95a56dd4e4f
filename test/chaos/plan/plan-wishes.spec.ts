import { describe, expect, it } from 'vitest';
import { planWishes, type WishesWanted } from './plan-wishes.js';

const WANTED: WishesWanted = {
  seed: 7,
  seconds: 300,
  clusters: ['a', 'b', 'c'],
  operators: ['bell', 'lamp'],
  catalogs: ['north', 'south'],
  editions: 4,
};
const seeds = Array.from({ length: 50 }, (_, seed) => seed);

describe('the plan of the wishes', () => {
  it('is the same for the same seed, and another for another', () => {
    expect(planWishes(WANTED)).toEqual(planWishes({ ...WANTED }));
    expect(new Set(seeds.map((seed) => JSON.stringify(planWishes({ ...WANTED, seed })))).size).toBe(seeds.length);
  });

  it('asks for what is possible: each operator is subscribed to before anything else, and not twice', () => {
    for (const seed of seeds) {
      const there = new Set<string>();
      for (const { cluster, operator, wish } of planWishes({ ...WANTED, seed }).wishes) {
        const name = `${cluster} ${operator}`;
        expect(there.has(name), `${name}: ${wish}`).toBe(wish !== 'subscribe');
        if (wish === 'remove') there.delete(name);
        else there.add(name);
      }
    }
  });

  it('changes every cluster, and has each catalog end with its last edition, in order', () => {
    for (const seed of seeds) {
      const { wishes, editions } = planWishes({ ...WANTED, seed });
      expect(new Set(wishes.map(({ cluster }) => cluster))).toEqual(new Set(WANTED.clusters));
      for (const catalog of WANTED.catalogs) {
        const own = editions.filter((edition) => edition.catalog === catalog);
        expect(own.map(({ edition }) => edition)).toEqual([2, 3, 4]);
        expect(own.map(({ atMs }) => atMs)).toEqual(own.map(({ atMs }) => atMs).toSorted((a, b) => a - b));
        expect(own.at(-1)?.atMs).toBeLessThanOrEqual(WANTED.seconds * 1_000);
      }
    }
  });
});
