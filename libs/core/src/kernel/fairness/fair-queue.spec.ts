import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Bounds, FairQueue } from './fair-queue.js';
import { type Owner, ownerKey } from './owner.js';

const owner = (name: string): Owner => {
  const [cluster = '', namespace = ''] = name.split('/');
  return { cluster, namespace };
};
const SERIAL: Bounds = { total: 1, perCluster: 1, perNamespace: 1 };

/** The items in the order in which they are taken, one after the other. */
function drained(queue: FairQueue<string>): string[] {
  const order: string[] = [];
  for (let taken = queue.take(); taken !== undefined; taken = queue.take()) {
    order.push(taken.item);
    queue.release(taken.owner);
  }
  return order;
}

describe('turns', () => {
  it('go round over clusters, then over the namespaces of each, then in order of arrival', () => {
    const queue = new FairQueue<string>(SERIAL);
    for (const at of [1, 2, 3]) queue.add(`a1-${at}`, owner('a/1'));
    for (const at of [1, 2]) queue.add(`a2-${at}`, owner('a/2'));
    queue.add('b1-1', owner('b/1'));
    expect(drained(queue)).toEqual(['a1-1', 'b1-1', 'a2-1', 'a1-2', 'a2-2', 'a1-3']);
  });

  it('come at once to a namespace behind a thousand items of another cluster', () => {
    const queue = new FairQueue<string>(SERIAL);
    for (let at = 0; at < 1_000; at++) queue.add(`flood-${at}`, owner(`west/tenant-${at % 50}`));
    expect(queue.take()?.item).toBe('flood-0');
    queue.add('innocent', owner('east/apps'));
    queue.release(owner('west/tenant-0'));
    expect(drained(queue).indexOf('innocent')).toBe(1);
  });

  it('take an item that waits for several at the first turn of any of them, once', () => {
    const queue = new FairQueue<string>(SERIAL);
    for (let at = 0; at < 10; at++) queue.add(`a-${at}`, owner('a/1'));
    queue.add('shared', owner('a/1'));
    queue.add('shared', owner('b/1'));
    expect(drained(queue).slice(0, 2)).toEqual(['a-0', 'shared']);
    expect(queue.waiting).toBe(0);
  });

  it('stay with the others when one owner of a shared item leaves', () => {
    const queue = new FairQueue<string>(SERIAL);
    queue.add('shared', owner('a/1'));
    queue.add('shared', owner('b/1'));
    queue.withdraw('shared', owner('a/1'));
    expect(queue.take()).toEqual({ item: 'shared', owner: owner('b/1') });
    queue.withdraw('shared');
    expect(queue.waiting).toBe(0);
  });
});

const names = fc.constantFrom('a/1', 'a/2', 'a/3', 'b/1', 'b/2', 'c/1');
const bound = fc.integer({ min: 1, max: 3 });
const boundsOf = fc.record({ total: fc.integer({ min: 1, max: 5 }), perCluster: bound, perNamespace: bound });
const step = fc.oneof(
  { weight: 3, arbitrary: fc.record({ do: fc.constant('add' as const), name: names }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('take' as const) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('release' as const), which: fc.nat() }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('withdraw' as const), which: fc.nat() }) },
);
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

/**
 * Plays the steps; after each, `check` sees what waits and what runs. Gives the order
 * in which items were taken.
 */
function play(
  bounds: Bounds,
  steps: readonly Step[],
  check: (state: Readonly<{ queue: FairQueue<number>; waiting: Map<number, Owner>; running: Owner[] }>) => void,
) {
  const queue = new FairQueue<number>(bounds);
  const waiting = new Map<number, Owner>();
  const running: Owner[] = [];
  const order: number[] = [];
  const take = () => {
    const taken = queue.take();
    if (taken === undefined) return;
    expect(waiting.get(taken.item)).toEqual(taken.owner);
    waiting.delete(taken.item);
    running.push(taken.owner);
    order.push(taken.item);
  };
  const withdraw = (which: number) => {
    const item = [...waiting.keys()][which % Math.max(1, waiting.size)];
    if (item === undefined) return;
    queue.withdraw(item);
    waiting.delete(item);
  };
  const perform = (one: Step, at: number) => {
    switch (one.do) {
      case 'add':
        queue.add(at, owner(one.name));
        return waiting.set(at, owner(one.name));
      case 'take':
        return take();
      case 'release':
        return running.splice(one.which % Math.max(1, running.length), 1).map((done) => queue.release(done));
      case 'withdraw':
        return withdraw(one.which);
    }
  };
  for (const [at, one] of steps.entries()) {
    perform(one, at);
    check({ queue, waiting, running });
  }
  return { queue, waiting, running, order };
}

const countOf = (running: readonly Owner[], keyOf: (one: Owner) => string, key: string) =>
  running.filter((one) => keyOf(one) === key).length;

describe('whatever is added, taken, released and withdrawn', () => {
  it('keeps every bound, and counts right', () => {
    fc.assert(
      fc.property(boundsOf, fc.array(step, { maxLength: 80 }), (bounds, steps) => {
        play(bounds, steps, ({ queue, waiting, running }) => {
          expect(queue.waiting).toBe(waiting.size);
          expect(queue.running).toBe(running.length);
          expect(running.length).toBeLessThanOrEqual(bounds.total);
          for (const one of running) {
            expect(countOf(running, ({ cluster }) => cluster, one.cluster)).toBeLessThanOrEqual(bounds.perCluster);
            expect(countOf(running, ownerKey, ownerKey(one))).toBeLessThanOrEqual(bounds.perNamespace);
          }
        });
      }),
    );
  });

  it('leaves nothing waiting that the bounds allow', () => {
    fc.assert(
      fc.property(boundsOf, fc.array(step, { maxLength: 60 }), (bounds, steps) => {
        const { queue, waiting, running } = play(bounds, steps, () => undefined);
        const couldRun = [...waiting.values()].some(
          (one) =>
            running.length < bounds.total &&
            countOf(running, ({ cluster }) => cluster, one.cluster) < bounds.perCluster &&
            countOf(running, ownerKey, ownerKey(one)) < bounds.perNamespace,
        );
        expect(queue.take() !== undefined).toBe(couldRun);
      }),
    );
  });

  it('starves no item: no more turns go by than there are clusters, times namespaces, times items before it', () => {
    fc.assert(
      fc.property(
        fc.array(names, { minLength: 1, maxLength: 60 }),
        fc.array(names, { maxLength: 60 }),
        (queued, late) => {
          const queue = new FairQueue<string>(SERIAL);
          for (const [at, name] of queued.entries()) queue.add(`${at} ${name}`, owner(name));
          const last = queued.length - 1;
          const mine = queued[last] ?? '';
          const before = queued.filter((name) => name === mine).length;
          const clusters = new Set([...queued, ...late].map((name) => owner(name).cluster)).size;
          const namespaces = new Set([...queued, ...late].filter((name) => owner(name).cluster === owner(mine).cluster))
            .size;
          let turns = 0;
          for (let taken = queue.take(); taken !== undefined; taken = queue.take()) {
            turns += 1;
            if (taken.item === `${last} ${mine}`) break;
            queue.release(taken.owner);
            const more = late[turns - 1];
            if (more !== undefined) queue.add(`late ${turns}`, owner(more));
          }
          expect(turns).toBeLessThanOrEqual(before * namespaces * clusters);
        },
      ),
    );
  });

  it('takes in the same order when the same is done again', () => {
    fc.assert(
      fc.property(boundsOf, fc.array(step, { maxLength: 60 }), (bounds, steps) => {
        const once = () => play(bounds, steps, () => undefined).order;
        expect(once()).toEqual(once());
      }),
    );
  });
});
