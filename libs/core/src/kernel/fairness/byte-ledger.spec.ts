import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ByteLedger } from './byte-ledger.js';

describe('bytes of work under way', () => {
  it('make room at the cost of the cluster, then the namespace, that holds most', () => {
    const ledger = new ByteLedger<string>(100);
    ledger.open('large', { cluster: 'west', namespace: 'alone' });
    ledger.open('greedy-1', { cluster: 'east', namespace: 'greedy' });
    ledger.open('greedy-2', { cluster: 'east', namespace: 'greedy' });
    ledger.open('innocent', { cluster: 'east', namespace: 'apps' });
    expect(ledger.add('large', 40)).toEqual([]);
    expect(ledger.add('greedy-1', 25)).toEqual([]);
    expect(ledger.add('greedy-2', 30)).toEqual([]);
    expect(ledger.add('innocent', 10)).toEqual(['greedy-2']);
    expect(ledger.total).toBe(75);
  });

  it('never exceed the limit, and no work gives way to one that holds more than its whole cluster', () => {
    const change = fc.record({ at: fc.nat({ max: 5 }), bytes: fc.integer({ min: 0, max: 60 }) });
    fc.assert(
      fc.property(fc.array(change, { maxLength: 60 }), (changes) => {
        const ledger = new ByteLedger<number>(100);
        const held = new Map([0, 1, 2, 3, 4, 5].map((at) => [at, 0]));
        for (const at of held.keys()) ledger.open(at, { cluster: clusterOf(at), namespace: `n${at % 2}` });
        for (const { at, bytes } of changes) {
          const before = held.get(at);
          if (before !== undefined) held.set(at, before + bytes);
          for (const victim of ledger.add(at, bytes)) {
            expect(sumOf(held, clusterOf(victim))).toBe(Math.max(...CLUSTERS.map((cluster) => sumOf(held, cluster))));
            held.delete(victim);
          }
          expect(ledger.total).toBeLessThanOrEqual(100);
          expect(ledger.total).toBe(sum([...held.values()]));
        }
      }),
    );
  });
});

const CLUSTERS = ['a', 'b', 'c'];
const clusterOf = (at: number) => ['a', 'a', 'b', 'b', 'b', 'c'][at] ?? '';
const sum = (values: readonly number[]) => values.reduce((total, one) => total + one, 0);
const sumOf = (held: ReadonlyMap<number, number>, cluster: string) =>
  sum([...held].flatMap(([at, bytes]) => (clusterOf(at) === cluster ? [bytes] : [])));
