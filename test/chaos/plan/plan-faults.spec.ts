import { describe, expect, it } from 'vitest';
import { FAULT_KINDS, FAULT_NAMES } from './fault-kinds.js';
import { type FaultsWanted, planFaults } from './plan-faults.js';

const WANTED: FaultsWanted = {
  seed: 7,
  seconds: 600,
  clusters: ['a', 'b', 'c', 'd'],
  services: ['applier', 'catalog-poller'],
  faults: FAULT_NAMES,
};
const seeds = Array.from({ length: 50 }, (_, seed) => seed);

describe('the plan of the faults', () => {
  it('is the same for the same seed, and another for another', () => {
    expect(planFaults(WANTED)).toEqual(planFaults({ ...WANTED }));
    const plans = seeds.map((seed) => JSON.stringify(planFaults({ ...WANTED, seed })));
    expect(new Set(plans).size).toBe(seeds.length);
  });

  it('of a shorter run is the begin of that of a longer one', () => {
    const long = planFaults(WANTED);
    const short = planFaults({ ...WANTED, seconds: 60 });
    expect(short.length).toBeGreaterThan(10);
    expect(long.slice(0, short.length)).toEqual(short);
  });

  it('has every fault, each about as often as any other', () => {
    for (const seed of seeds) {
      const counts = FAULT_NAMES.map(
        (name) => planFaults({ ...WANTED, seed }).filter(({ fault }) => fault === name).length,
      );
      expect(Math.min(...counts), `seed ${seed}`).toBeGreaterThan(0);
      expect(Math.max(...counts) - Math.min(...counts), `seed ${seed}`).toBeLessThanOrEqual(1);
    }
  });

  it('has each fault for as long as its kind lasts, in the time of the run, in order', () => {
    for (const seed of seeds) {
      const plan = planFaults({ ...WANTED, seed });
      for (const { fault, forMs, atMs } of plan) {
        const [least, most] = FAULT_KINDS[fault].lasts;
        expect(forMs).toBeGreaterThanOrEqual(least);
        expect(forMs).toBeLessThanOrEqual(most);
        expect(atMs).toBeLessThan(WANTED.seconds * 1_000);
      }
      expect(plan.map(({ atMs }) => atMs)).toEqual(plan.map(({ atMs }) => atMs).toSorted((a, b) => a - b));
    }
  });

  it('has no two faults on one target at the same time, but overlapping ones on different targets', () => {
    let overlapping = 0;
    for (const seed of seeds) {
      const plan = planFaults({ ...WANTED, seed });
      for (const [index, one] of plan.entries()) {
        const during = plan.slice(index + 1).filter(({ atMs }) => atMs < one.atMs + one.forMs);
        expect(during.filter(({ target }) => target === one.target)).toEqual([]);
        overlapping += during.length;
      }
    }
    expect(overlapping).toBeGreaterThan(seeds.length);
  });
});
