import { describe, expect, it } from 'vitest';
import { heldBytes, OWN_BYTES, PACKED_BYTES } from './held-bytes.js';
import { LIST_BEGUN, type ListPage, listProgress } from './list-progress.js';
import { type ExcessHistory, excessAt, probePauseMs } from './probe-pace.js';
import { DEFAULT_READ_LIMITS, type Excess, excessText, type ReadLimits } from './read-limits.js';
import { type WatchRate, watchRate } from './watch-rate.js';

const LIMITS: ReadLimits = {
  answerBytes: 1024,
  listBytes: 10_000,
  objects: 100,
  clusterBytes: 50_000,
  processBytes: 100_000,
};

/** Reads pages until one exceeds the budget or the list ends; answers after how many pages, and why. */
function read(page: (n: number) => ListPage, pageSize: number | undefined = 10, limits = LIMITS) {
  let progress = LIST_BEGUN;
  for (let n = 1; n < 100_000; n += 1) {
    const next = listProgress(progress, page(n), pageSize, limits);
    if ('excess' in next) return { pages: n, excess: next.excess };
    progress = next.progress;
    if ((page(n).continue ?? '') === '') return { pages: n, excess: undefined };
  }
  return { pages: Number.POSITIVE_INFINITY, excess: undefined };
}

describe('the progress of a list', () => {
  const cases: readonly (readonly [string, (n: number) => ListPage, number, Excess | undefined])[] = [
    ['ends within its budget', (n) => ({ objects: 10, bytes: 9, continue: n < 10 ? `t${n}` : '' }), 10, undefined],
    ['has more objects', (n) => ({ objects: 30, bytes: 9, continue: `t${n}` }), 4, 'objects'],
    ['has more bytes', (n) => ({ objects: 1, bytes: 4_000, continue: `t${n}` }), 3, 'list-bytes'],
    ['repeats its token', () => ({ objects: 1, bytes: 9, continue: 'again' }), 2, 'endless'],
    ['repeats three tokens in turn', (n) => ({ objects: 1, bytes: 9, continue: `t${n % 3}` }), 7, 'endless'],
    ['has empty pages without end', (n) => ({ objects: 0, bytes: 9, continue: `t${n}` }), 56, 'endless'],
    ['has a token of a megabyte', () => ({ objects: 1, bytes: 9, continue: 't'.repeat(1e6) }), 1, 'endless'],
  ];
  for (const [title, page, pages, excess] of cases) {
    it(`of a list that ${title}`, () => expect(read(page)).toEqual({ pages, excess }));
  }

  it('allows 50,000 objects of a kind, in pages of 500 or, where they are large, of one', () => {
    for (const size of [500, 1]) {
      const pages = 50_000 / size;
      const page = (n: number) => ({ objects: size, bytes: size * 40_000, continue: n < pages ? `t${n}` : '' });
      expect(read(page, size, DEFAULT_READ_LIMITS)).toEqual({ pages, excess: undefined });
    }
  });
});

describe('the rate of a watch', () => {
  it('is that of a minute: what came before does not count', () => {
    let rate: WatchRate | undefined;
    for (let n = 0; n < 250; n += 1) {
      const next = watchRate(rate, 10, n * 1_000, LIMITS);
      if ('excess' in next) throw new Error(`exceeded at ${n}`);
      rate = next.rate;
    }
    expect(rate?.events).toBeLessThanOrEqual(60);
  });

  it('exceeds its budget by events and by bytes', () => {
    const full = { sinceMs: 0, events: 100, bytes: 0 };
    expect(watchRate(full, 1, 59_000, LIMITS)).toEqual({ excess: 'events' });
    expect(watchRate(full, 1, 60_000, LIMITS)).toEqual({ rate: { sinceMs: 60_000, events: 1, bytes: 1 } });
    expect(watchRate(undefined, 10_001, 0, LIMITS)).toEqual({ excess: 'event-bytes' });
  });
});

describe('the pauses of a cluster that exceeds its budgets', () => {
  it('grow from ten seconds to five minutes while each try fails, and begin anew after a quiet time', () => {
    const pauses: number[] = [];
    let history: ExcessHistory | undefined;
    let now = 0;
    for (let n = 0; n < 7; n += 1) {
      history = excessAt(history, now);
      pauses.push(probePauseMs(history) / 1_000);
      now += probePauseMs(history) + 1_000;
    }
    expect(pauses).toEqual([10, 20, 40, 80, 160, 300, 300]);
    expect(excessAt(history, now + 600_000).times).toBe(1);
  });

  it('count what fails together once', () => {
    const once = excessAt(undefined, 0);
    expect(excessAt(once, 5_000)).toBe(once);
  });
});

describe('the memory of a value', () => {
  it('grows with its texts and members, and counts packed bytes', () => {
    expect(heldBytes({ a: 'x'.repeat(1_000) })).toBeGreaterThan(1_000);
    expect(heldBytes({ a: [1, 2, 3, {}, null] })).toBeGreaterThan(heldBytes({ a: [] }));
    expect(heldBytes({ [PACKED_BYTES]: 5_000 }) - heldBytes({})).toBe(5_000);
    expect(heldBytes({ [OWN_BYTES]: 70, spec: { text: 'x'.repeat(1_000) } })).toBe(70);
  });

  it('cannot be made less by what a cluster writes into an object', () => {
    const foreign = JSON.parse('{"packedBytes": -1000000, "spec": {"packedBytes": -1000000}}');
    expect(heldBytes(foreign)).toBeGreaterThan(0);
  });

  it('is found for a value that is nested a million times', () => {
    let nested: unknown[] = [];
    for (let n = 0; n < 1_000_000; n += 1) nested = [nested];
    expect(heldBytes(nested)).toBeGreaterThan(1_000_000);
  });
});

describe('the text about an exceeded budget', () => {
  it('names what is too large, how large it may be, and the setting', () => {
    expect(excessText('Subscription', 'objects', LIMITS)).toBe(
      'Subscription: more than 100 objects; delete some, or raise FLOTILLA_KUBE_MAX_OBJECTS',
    );
    expect(excessText('Secret', 'answer', DEFAULT_READ_LIMITS)).toContain(
      'more than 32Mi; raise FLOTILLA_KUBE_MAX_ANSWER_BYTES',
    );
  });
});
