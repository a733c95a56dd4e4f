import { describe, expect, it } from 'vitest';
import { type ChangesWanted, planChanges } from './plan-changes.js';

const WANTED: ChangesWanted = {
  seed: 7,
  seconds: 300,
  clusters: ['a', 'b', 'c'],
  operators: ['bell', 'lamp'],
  catalogs: ['north', 'south'],
  editions: 4,
};
const seeds = Array.from({ length: 50 }, (_, seed) => seed);

describe('the plan of the changes', () => {
  it('is the same for the same seed, and another for another', () => {
    expect(planChanges(WANTED)).toEqual(planChanges({ ...WANTED }));
    expect(new Set(seeds.map((seed) => JSON.stringify(planChanges({ ...WANTED, seed })))).size).toBe(seeds.length);
  });

  it('asks for what is possible: each operator is subscribed to before anything else, and not twice', () => {
    for (const seed of seeds) {
      const there = new Set<string>();
      for (const { cluster, operator, kind } of planChanges({ ...WANTED, seed }).changes) {
        const name = `${cluster} ${operator}`;
        expect(there.has(name), `${name}: ${kind}`).toBe(kind !== 'subscribe');
        if (kind === 'remove') there.delete(name);
        else there.add(name);
      }
    }
  });

  it('changes every cluster, and has each catalog end with its last edition, in order', () => {
    for (const seed of seeds) {
      const { changes, editions } = planChanges({ ...WANTED, seed });
      expect(new Set(changes.map(({ cluster }) => cluster))).toEqual(new Set(WANTED.clusters));
      for (const catalog of WANTED.catalogs) {
        const own = editions.filter((edition) => edition.catalog === catalog);
        expect(own.map(({ edition }) => edition)).toEqual([2, 3, 4]);
        expect(own.map(({ atMs }) => atMs)).toEqual(own.map(({ atMs }) => atMs).toSorted((a, b) => a - b));
        expect(own.at(-1)?.atMs).toBeLessThanOrEqual(WANTED.seconds * 1_000);
      }
    }
  });
});
