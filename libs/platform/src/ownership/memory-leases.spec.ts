import { beforeEach, describe, expect, it } from 'vitest';
import { ManualClock } from '../clock/manual-clock.js';
import type { LeaseTable } from './leases.port.js';
import { MemoryLeases } from './memory-leases.js';

let clock: ManualClock;
let leases: MemoryLeases;
beforeEach(() => {
  clock = new ManualClock();
  leases = new MemoryLeases(clock);
});
const exchange = (member: string, wanted: readonly number[], { ending = false, leaseMs = 1_000 } = {}) =>
  leases.exchange({ member, wanted, ending, leaseMs });
const owners = ({ leases: held }: LeaseTable) => [...held].map(([shard, { owner }]) => `${shard} ${owner}`).toSorted();

describe('leases of shards', () => {
  it('are given to the first that wants them', async () => {
    expect(owners(await exchange('a', [0, 1]))).toEqual(['0 a', '1 a']);
    expect(owners(await exchange('b', [1, 2]))).toEqual(['0 a', '1 a', '2 b']);
  });

  it('are given up when they are not wanted any more', async () => {
    await exchange('a', [0, 1]);
    expect(owners(await exchange('a', [1]))).toEqual(['1 a']);
    expect(owners(await exchange('b', [0]))).toEqual(['0 b', '1 a']);
  });

  it('end unless they are renewed', async () => {
    await exchange('a', [0, 1]);
    await clock.advance(999);
    await exchange('a', [0]);
    await clock.advance(999);
    expect(owners(await exchange('b', [0, 1]))).toEqual(['0 a', '1 b']);
    await clock.advance(1);
    expect(owners(await exchange('b', [0, 1]))).toEqual(['0 b', '1 b']);
  });

  it('say how long they last', async () => {
    await exchange('a', [0]);
    await clock.advance(400);
    const { leases: held, members } = await exchange('b', [], { leaseMs: 5_000 });
    expect(held.get(0)).toMatchObject({ owner: 'a', leftMs: 600 });
    expect([...members]).toEqual([
      ['a', 600],
      ['b', 5_000],
    ]);
  });

  it('have a greater fence for each owner, and the same one as long as they are renewed', async () => {
    const fences: (number | undefined)[] = [];
    for (const [member, wait] of [
      ['a', 0],
      ['a', 500],
      ['b', 1_000],
      ['a', 2_000],
    ] as const) {
      await clock.advance(wait);
      fences.push((await exchange(member, [0])).leases.get(0)?.fence);
    }
    const [first = 0, renewed = 0, second = 0, third = 0] = fences;
    expect(renewed).toBe(first);
    expect([second > first, third > second]).toEqual([true, true]);
  });

  it('have a greater fence also within one millisecond', async () => {
    const first = (await exchange('a', [0])).leases.get(0)?.fence ?? 0;
    await exchange('a', []);
    expect((await exchange('b', [0])).leases.get(0)?.fence).toBeGreaterThan(first);
  });

  it('stay with a process that is ending, which is no member any more', async () => {
    await exchange('a', [0, 1]);
    const { members, ...table } = await exchange('a', [0], { ending: true });
    expect([[...members.keys()], owners({ members, ...table })]).toEqual([[], ['0 a']]);
  });

  it('count a process that does not come again as dead', async () => {
    await exchange('a', []);
    await clock.advance(1_000);
    expect([...(await exchange('b', [])).members.keys()]).toEqual(['b']);
  });

  it('have an epoch of their own', async () => {
    const { epoch } = await exchange('a', []);
    expect((await exchange('b', [0])).epoch).toBe(epoch);
    expect(
      (await new MemoryLeases(clock).exchange({ member: 'a', wanted: [], ending: false, leaseMs: 1 })).epoch,
    ).not.toBe(epoch);
  });
});
