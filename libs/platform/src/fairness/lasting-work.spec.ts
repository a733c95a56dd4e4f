import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { FairLimiter } from './fair-limiter.js';
import { Lanes } from './lanes.js';
import { LastingWork } from './lasting-work.js';
import { Patience } from './patience.js';

const HOSTILE = { cluster: 'west', namespace: 'hostile' };
const INNOCENT = { cluster: 'west', namespace: 'apps' };

describe('work that outlasts a pass', () => {
  let begun: string[];
  let ended: string[];
  let woken: string[];
  let work: LastingWork<string>;

  beforeEach(() => {
    vi.useFakeTimers();
    [begun, ended, woken] = [[], [], []];
    const lanes = new Lanes({
      first: new FairLimiter({ total: 8, perCluster: 4, perNamespace: 2 }),
      slow: new FairLimiter({ total: 4, perCluster: 2, perNamespace: 1 }),
      firstMs: 5_000,
    });
    work = new LastingWork({ lanes, sizeOf: (value) => value.length, maxHeldBytes: 10, leaseMs: 60_000 });
  });
  afterEach(() => {
    work.stop();
    vi.useRealTimers();
  });

  /** Work that is done after so long. */
  const wanted = (key: string, ms: number, value = key) => ({
    key,
    start: () => {
      begun.push(key);
      const { promise, resolve, reject } = Promise.withResolvers<string>();
      const timer = setTimeout(() => resolve(value), ms);
      const end = () => {
        ended.push(key);
        clearTimeout(timer);
        reject(new Error('ended'));
      };
      return { done: promise, end };
    },
  });
  const pass = (owner: typeof HOSTILE, patience = new Patience()) => ({
    owner,
    patience,
    signal: new AbortController().signal,
    wake: () => void woken.push(owner.namespace),
  });

  it('that is done soon is waited for, and begins anew when it is wanted again', async () => {
    const taken = work.take([wanted('a', 100), wanted('b', 200)], pass(INNOCENT));
    await vi.advanceTimersByTimeAsync(200);
    expect(await taken).toEqual(['a', 'b']);
    const again = work.take([wanted('a', 100)], pass(INNOCENT));
    await vi.advanceTimersByTimeAsync(100);
    expect([await again, begun, woken]).toEqual([['a'], ['a', 'b', 'a'], []]);
  });

  it('that takes longer goes on without the pass, which is woken once, and then has it at once', async () => {
    const both = [wanted('a', 4_000), wanted('b', 10_000)];
    const first = work.take(both, pass(INNOCENT));
    await vi.advanceTimersByTimeAsync(3_000);
    expect(await first).toBeUndefined();
    const second = work.take(both, pass(INNOCENT, new Patience(0)));
    await vi.advanceTimersByTimeAsync(0);
    expect([await second, woken]).toEqual([undefined, []]);
    await vi.advanceTimersByTimeAsync(7_000);
    expect(woken).toEqual(['apps']);
    expect(await work.take(both, pass(INNOCENT, new Patience(0)))).toEqual(['a', 'b']);
    expect(begun).toEqual(['a', 'b']);
  });

  it('has one pass wait three seconds in all, whatever it wants', async () => {
    const { patience, ...rest } = pass(HOSTILE);
    const since = Date.now();
    const all = (async () => {
      for (let at = 0; at < 50; at += 1) await work.take([wanted(`${at}`, 600_000)], { ...rest, patience });
      return Date.now() - since;
    })();
    await vi.advanceTimersByTimeAsync(4_000);
    expect(await all).toBeLessThan(3_200);
  });

  it('of fifty that never end leaves its turn to another namespace of the same cluster, and of many namespaces, too', async () => {
    for (let at = 0; at < 50; at += 1) {
      const owner = { ...HOSTILE, namespace: `hostile-${at % 5}` };
      void work.take([wanted(`endless ${at}`, 600_000)], pass(owner, new Patience(0))).catch(() => undefined);
    }
    void work.take([wanted('small', 50)], pass(INNOCENT, new Patience(0)));
    await vi.advanceTimersByTimeAsync(11_000);
    expect(woken).toEqual(['apps']);
  });

  it('fails the pass that finds the failure, and begins anew after it', async () => {
    const failing = {
      key: 'a',
      start: () => ({ done: Promise.reject(new Error('no such image')), end: () => undefined }),
    };
    await expect(work.take([failing], pass(INNOCENT))).rejects.toThrow('no such image');
    const again = work.take([wanted('a', 1)], pass(INNOCENT));
    await vi.advanceTimersByTimeAsync(1);
    expect(await again).toEqual(['a']);
  });

  it('that no pass asks for any more is ended', async () => {
    const taken = work.take([wanted('a', 600_000)], pass(INNOCENT, new Patience(0)));
    await vi.advanceTimersByTimeAsync(0);
    expect(await taken).toBeUndefined();
    await vi.advanceTimersByTimeAsync(61_000);
    expect(ended.at(-1)).toBe('a');
  });

  it('keeps no more results than the budget allows, and drops those of the namespace that holds most', async () => {
    const mine = work.take([wanted('mine', 10, 'small')], pass(INNOCENT, new Patience(0)));
    const first = work.take([wanted('x', 20, 'seven..')], pass(HOSTILE, new Patience(0)));
    await vi.advanceTimersByTimeAsync(20);
    await Promise.all([mine, first]);
    await expect(work.take([wanted('x', 20)], pass(HOSTILE))).rejects.toThrow('most of them were for this namespace');
    expect(await work.take([wanted('mine', 10)], pass(INNOCENT))).toEqual(['small']);
  });

  it('a pass that is stopped fails with its reason, and the work goes on', async () => {
    const stop = new AbortController();
    const taken = work.take([wanted('a', 1_000)], { ...pass(INNOCENT), signal: stop.signal });
    const failed = expect(taken).rejects.toBe('the lock on the job was lost');
    stop.abort('the lock on the job was lost');
    await failed;
    const again = work.take([wanted('a', 1_000)], pass(INNOCENT));
    await vi.advanceTimersByTimeAsync(1_000);
    expect([await again, begun]).toEqual([['a'], ['a']]);
  });
});
