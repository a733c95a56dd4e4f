import { afterEach, describe, expect, it } from 'vitest';
import type { Leases, LeaseTable } from '#platform/ownership/leases.port';

export type LeasesUnderTest = Readonly<{
  leases: Leases;
  /** Resolves once so many milliseconds of the leases' time have passed, or more. */
  pass(ms: number): Promise<void>;
  dispose(): Promise<void>;
}>;

/** No test lasts so long, however busy the machine is. */
const LEASE_MS = 600_000;
/** For tests that wait for its end. */
const SHORT_MS = 300;
/** For the test that renews one in time: it may be late by two thirds of it. */
const RENEWED_MS = 6_000;

/** Tests of all Leases, in every store. */
export function leasesConformance(make: () => Promise<LeasesUnderTest>): void {
  let open: LeasesUnderTest | undefined;
  const start = async () => {
    open = await make();
    const { leases, pass } = open;
    const exchange = (member: string, wanted: readonly number[], { ending = false, leaseMs = LEASE_MS } = {}) =>
      leases.exchange({ member, ending, wanted, leaseMs });
    return { exchange, pass };
  };
  afterEach(async () => {
    await open?.dispose();
    open = undefined;
  });
  const owners = ({ leases }: LeaseTable) =>
    Object.fromEntries([...leases].map(([shard, { owner }]) => [shard, owner] as const).toSorted());
  const fenceOf = ({ leases }: LeaseTable, shard: number) => leases.get(shard)?.fence ?? Number.NaN;

  describe('leases', () => {
    it('are of the process that takes a free shard, and no other gets them', async () => {
      const { exchange } = await start();
      expect(owners(await exchange('a', [1, 2]))).toEqual({ 1: 'a', 2: 'a' });
      expect(owners(await exchange('b', [2, 3]))).toEqual({ 1: 'a', 2: 'a', 3: 'b' });
      expect(owners(await exchange('a', [1, 2, 3]))).toEqual({ 1: 'a', 2: 'a', 3: 'b' });
    });

    it('are given up where they are not wanted any more, and free at once', async () => {
      const { exchange } = await start();
      await exchange('a', [1, 2]);
      expect(owners(await exchange('a', [2]))).toEqual({ 2: 'a' });
      expect(owners(await exchange('b', [1, 2]))).toEqual({ 1: 'b', 2: 'a' });
      expect(owners(await exchange('a', []))).toEqual({ 1: 'b' });
    });

    it('last as long as they are renewed, with the fencing number that they began with', async () => {
      const { exchange, pass } = await start();
      const renewed = { leaseMs: RENEWED_MS };
      const begun = await exchange('a', [1], renewed);
      for (let renewals = 0; renewals < 3; renewals += 1) {
        await pass(RENEWED_MS / 3);
        const table = await exchange('a', [1], renewed);
        expect(table.leases.get(1)?.leftMs).toBeGreaterThan((RENEWED_MS * 2) / 3);
        expect(fenceOf(table, 1)).toBe(fenceOf(begun, 1));
      }
      await pass(RENEWED_MS / 3);
      expect(owners(await exchange('b', [1]))).toEqual({ 1: 'a' });
    });

    it('end when they are not renewed, and the next owner has a greater fencing number', async () => {
      const { exchange, pass } = await start();
      const first = await exchange('a', [1], { leaseMs: SHORT_MS });
      await pass(SHORT_MS);
      const second = await exchange('b', [1]);
      expect(owners(second)).toEqual({ 1: 'b' });
      expect(fenceOf(second, 1)).toBeGreaterThan(fenceOf(first, 1));
      expect(owners(await exchange('a', [1])), 'the owner of before has no right left').toEqual({ 1: 'b' });
    });

    it('that had ended are leases anew for the same process, too', async () => {
      const { exchange, pass } = await start();
      const first = await exchange('a', [1], { leaseMs: SHORT_MS });
      await pass(SHORT_MS);
      expect(fenceOf(await exchange('a', [1]), 1)).toBeGreaterThan(fenceOf(first, 1));
    });

    it('have a greater fencing number each time, also in the same millisecond', async () => {
      const { exchange } = await start();
      let last = 0;
      for (let turn = 0; turn < 10; turn += 1) {
        const [taken] = await Promise.all([exchange('a', [1]), exchange('a', [])]);
        expect(fenceOf(taken, 1)).toBeGreaterThan(last);
        last = fenceOf(taken, 1);
      }
    });

    it('of the same shard go to one of those that ask at the same time', async () => {
      const { exchange } = await start();
      const names = ['a', 'b', 'c', 'd'];
      const tables = await Promise.all(names.map((name) => exchange(name, [1])));
      expect(new Set(tables.map((table) => table.leases.get(1)?.owner)).size).toBe(1);
    });
  });

  describe('processes', () => {
    it('are known to each other with the time that each has left', async () => {
      const { exchange, pass } = await start();
      await exchange('a', []);
      await pass(SHORT_MS);
      const { members } = await exchange('b', []);
      expect([...members.keys()].toSorted()).toEqual(['a', 'b']);
      expect(members.get('a')).toBeLessThanOrEqual(LEASE_MS - SHORT_MS);
      expect(members.get('b')).toBe(LEASE_MS);
    });

    it('are forgotten once they are dead', async () => {
      const { exchange, pass } = await start();
      await exchange('a', [1], { leaseMs: SHORT_MS });
      await pass(SHORT_MS);
      const { members, leases } = await exchange('b', []);
      expect([[...members.keys()], leases.size]).toEqual([['b'], 0]);
    });

    it('that are about to end keep their leases and are not counted', async () => {
      const { exchange } = await start();
      await exchange('a', [1, 2]);
      const table = await exchange('a', [2], { ending: true });
      expect([[...table.members.keys()], owners(table)]).toEqual([[], { 2: 'a' }]);
      const last = await exchange('a', [], { ending: true });
      expect([last.members.size, last.leases.size]).toEqual([0, 0]);
    });

    it('see the same epoch', async () => {
      const { exchange, pass } = await start();
      const { epoch } = await exchange('a', [], { leaseMs: SHORT_MS });
      await pass(SHORT_MS);
      expect((await exchange('b', [])).epoch).toBe(epoch);
    });
  });
}
