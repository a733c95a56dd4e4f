import { describe, expect, it } from 'vitest';
import { type BytesShare, SharedBytes } from './shared-bytes.js';

/** Takes bytes one by one until it is refused; answers how many it has. */
function takeAll(share: BytesShare, most = 10_000): number {
  for (let taken = 0; taken < most; taken += 1) if (!share.take(taken + 1, taken)) return taken;
  return most;
}

describe('bytes that clusters share', () => {
  it('are all for one that is alone', () => {
    expect(takeAll(new SharedBytes(1_000).join())).toBe(1_000);
  });

  it('never exceed their limit, and refuse no cluster its part, whatever two hostile ones take before', () => {
    const shared = new SharedBytes(1_000);
    const [first, second, ...small] = Array.from({ length: 10 }, () => shared.join());
    const hostile = [first, second].map((share) => (share === undefined ? 0 : takeAll(share)));
    expect(hostile[0]).toBe(550);
    expect(hostile[1]).toBe(50);
    expect(small.map((share) => takeAll(share))).toEqual(small.map(() => 50));
    expect(shared.total).toBe(1_000);
  });

  it('are there again when they are given back', () => {
    const shared = new SharedBytes(1_000);
    const [large, other] = [shared.join(), shared.join()];
    expect([large.take(750, 0), other.take(251, 0)]).toEqual([true, false]);
    expect([large.take(100, 750), other.take(600, 0), shared.total]).toEqual([true, true, 700]);
  });

  it('let a cluster take less even where it has more than its part', () => {
    const shared = new SharedBytes(1_000);
    const large = shared.join();
    expect(large.take(900, 0)).toBe(true);
    for (let more = 0; more < 9; more += 1) shared.join();
    expect([large.take(800, 900), large.take(801, 800)]).toEqual([true, false]);
  });

  it('are the others’ once a cluster has left, whatever it gives back afterwards', () => {
    const shared = new SharedBytes(1_000);
    const [leaving, other] = [shared.join(), shared.join()];
    expect([leaving.take(600, 0), other.take(401, 0)]).toEqual([true, false]);
    leaving.leave();
    leaving.leave();
    expect([leaving.take(0, 600), shared.total, takeAll(other)]).toEqual([true, 0, 1_000]);
  });
});
