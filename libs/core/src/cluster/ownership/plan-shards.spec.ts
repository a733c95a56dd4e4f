import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { planShards, type ShardMove, type ShardState } from './plan-shards.js';
import { shardWeights } from './shard.js';

const seed = Number(process.env['FLOTILLA_TEST_SEED'] ?? Date.now() % 2 ** 31);
const SHARDS = 16;
const ALIKE = Array.from({ length: SHARDS }, () => 1);
const FREE = Array.from({ length: SHARDS }, () => undefined);

type Owners = readonly (string | undefined)[];

/** Carries out plans as processes do, until nothing is left to do: a shard that moves is free in between. */
function settled(state: ShardState): Readonly<{ owners: Owners; moves: readonly ShardMove[] }> {
  let owners: Owners = state.owners;
  const moves: ShardMove[] = [];
  for (let steps = 0; steps < 20 * SHARDS; steps += 1) {
    const { grants, move } = planShards({ ...state, owners });
    if (grants.size > 0 && move !== undefined) throw new Error('a shard moves while another is free');
    if (grants.size === 0 && move === undefined) return { owners, moves };
    const next = (owner: string | undefined, shard: number) => {
      if (grants.has(shard)) return grants.get(shard);
      return move?.shard === shard ? undefined : owner;
    };
    if (move !== undefined) {
      expect(owners[move.shard]).toBe(move.from);
      moves.push(move);
    }
    owners = owners.map(next);
  }
  throw new Error('the shards never come to rest');
}

/** How much each member has. */
const loadsOf = (members: readonly string[], owners: Owners, weights: readonly number[] = ALIKE): readonly number[] =>
  members.map((member) =>
    owners.reduce((sum, owner, shard) => sum + (owner === member ? (weights[shard] ?? 0) : 0), 0),
  );

const named = (count: number): readonly string[] => Array.from({ length: count }, (_, at) => `process-${at}`);

/** The largest part of the average by which a member has more or less. */
function unevenness(loads: readonly number[]): number {
  const average = loads.reduce((sum, load) => sum + load, 0) / loads.length;
  return Math.max(...loads.map((load) => Math.abs(load - average) / average));
}

describe('the plan of who owns which shard', () => {
  it('gives all to the only process at once', () => {
    const { grants, move } = planShards({ members: ['a'], owners: FREE, weights: ALIKE });
    expect(new Set(grants.values())).toEqual(new Set(['a']));
    expect([grants.size, move]).toEqual([SHARDS, undefined]);
  });

  it('gives nothing where no process is alive', () => {
    expect(planShards({ members: [], owners: FREE, weights: ALIKE })).toEqual({ grants: new Map() });
  });

  it('shares the shards of a process that has died among the others, and moves none of theirs', () => {
    const members = ['a', 'b', 'c'];
    const { owners } = settled({ members, owners: FREE, weights: ALIKE });
    const left = owners.map((owner) => (owner === 'b' ? undefined : owner));
    const after = settled({ members: ['a', 'c'], owners: left, weights: ALIKE });
    expect(after.moves).toEqual([]);
    expect(left.every((owner, shard) => owner === undefined || owner === after.owners[shard])).toBe(true);
    expect(loadsOf(['a', 'c'], after.owners)).toEqual([8, 8]);
  });

  it('moves one shard at a time to a process that has come, and no more than it needs', () => {
    const { owners } = settled({ members: ['a', 'b'], owners: FREE, weights: ALIKE });
    const first = planShards({ members: ['a', 'b', 'c'], owners, weights: ALIKE });
    expect(first.move?.to).toBe('c');
    const { moves, owners: after } = settled({ members: ['a', 'b', 'c'], owners, weights: ALIKE });
    expect(moves).toHaveLength(5);
    expect(loadsOf(['a', 'b', 'c'], after).toSorted()).toEqual([5, 5, 6]);
  });

  it('moves nothing while a process that is about to end still has shards', () => {
    const owners = ['a', 'a', 'a', 'a', 'b', 'ending'];
    expect(planShards({ members: ['a', 'b'], owners, weights: ALIKE }).move).toBeUndefined();
  });

  it('exchanges two shards where no single move makes the parts more even', () => {
    const weights = [10, 6, 6, 10, 2, 2];
    const owners = ['a', 'a', 'a', 'b', 'b', 'b'];
    const { moves, owners: after } = settled({ members: ['a', 'b'], owners, weights });
    expect(loadsOf(['a', 'b'], after, weights)).toEqual([18, 18]);
    expect(moves.length).toBeLessThanOrEqual(2);
  });

  it('exchanges two shards although the first one is free in between', () => {
    const weights = [10, 10, 6, 6];
    const { moves, owners } = settled({ members: ['a', 'b'], owners: ['a', 'a', 'b', 'b'], weights });
    expect(loadsOf(['a', 'b'], owners, weights)).toEqual([16, 16]);
    expect(moves).toHaveLength(2);
  });

  it('leaves small differences as they are', () => {
    const weights = [100, 100, 100, 100, 11];
    const owners = ['a', 'a', 'b', 'b', 'b'];
    expect(planShards({ members: ['a', 'b'], owners, weights }).move).toBeUndefined();
  });
});

const members = fc.uniqueArray(fc.stringMatching(/^[a-z]{1,6}$/), { minLength: 1, maxLength: 8 });
const weights = fc.array(fc.integer({ min: 1, max: 400 }), { minLength: SHARDS, maxLength: SHARDS });
const states = fc.record({ members, weights, gone: fc.constant('GONE') }).chain(({ members, weights, gone }) =>
  fc.record({
    members: fc.constant(members),
    weights: fc.constantFrom(weights, ALIKE),
    owners: fc.array(fc.constantFrom(undefined, gone, ...members), { minLength: SHARDS, maxLength: SHARDS }),
  }),
);
/** A process that is about to end has released its shards. */
const released = ({ owners, ...rest }: ShardState): ShardState => ({
  ...rest,
  owners: owners.map((owner) => (owner === 'GONE' ? undefined : owner)),
});

describe(`plans, whatever the state is (FLOTILLA_TEST_SEED=${seed})`, () => {
  it('do not depend on the order in which the members are named', () => {
    fc.assert(
      fc.property(states, (state) => {
        expect(planShards({ ...state, members: state.members.toReversed() })).toEqual(planShards(state));
      }),
      { seed, numRuns: 200 },
    );
  });

  it('take no shard from an owner but the one that moves', () => {
    fc.assert(
      fc.property(states, (state) => {
        const { grants } = planShards(state);
        for (const shard of grants.keys()) expect(state.owners[shard]).toBeUndefined();
      }),
      { seed, numRuns: 200 },
    );
  });

  it('lead to rest, where every shard has an owner that is alive', () => {
    fc.assert(
      fc.property(states, (state) => {
        const { owners } = settled(released(state));
        for (const owner of owners) expect(state.members).toContain(owner);
      }),
      { seed, numRuns: 300 },
    );
  });

  it('end with even parts, or with none that is larger than another by more than its smallest shard', () => {
    fc.assert(
      fc.property(states, (state) => {
        const { owners } = settled(released(state));
        const parts = loadsOf(state.members, owners, state.weights);
        if (unevenness(parts) <= 0.1 + 1e-9) return;
        for (const [at, member] of state.members.entries()) {
          const own = state.weights.filter((_, shard) => owners[shard] === member);
          for (const other of parts) expect((parts[at] ?? 0) - other).toBeLessThanOrEqual(Math.min(...own));
        }
      }),
      { seed, numRuns: 300 },
    );
  });

  it('make the parts equal but for one shard, with the fewest moves, where all weigh the same', () => {
    fc.assert(
      fc.property(states, (state) => {
        const { moves, owners } = settled({ ...released(state), weights: ALIKE });
        const after = loadsOf(state.members, owners);
        expect(Math.max(...after) - Math.min(...after)).toBeLessThanOrEqual(1);
        const granted = settledGrants({ ...released(state), weights: ALIKE });
        const before = loadsOf(state.members, granted);
        const most = Math.ceil(SHARDS / state.members.length);
        const least = Math.floor(SHARDS / state.members.length);
        const tooMany = before.reduce((sum, load) => sum + Math.max(0, load - most), 0);
        const tooFew = before.reduce((sum, load) => sum + Math.max(0, least - load), 0);
        expect(moves).toHaveLength(Math.max(tooMany, tooFew));
      }),
      { seed, numRuns: 300 },
    );
  });

  it('share 200 clusters among up to four processes within 20 %, whatever they are named', () => {
    fc.assert(
      fc.property(
        fc.integer(),
        fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 5 }),
        (at, counts) => {
          const clusters = Array.from({ length: 200 }, (_, index) => `cluster-${at}-${index}`);
          const byClusters = shardWeights(clusters, SHARDS);
          let owners: Owners = FREE;
          for (const count of counts) {
            const alive = named(count);
            const left = owners.map((owner) => (owner !== undefined && alive.includes(owner) ? owner : undefined));
            ({ owners } = settled({ members: alive, owners: left, weights: byClusters }));
            expect(unevenness(loadsOf(alive, owners, byClusters))).toBeLessThan(0.2);
          }
        },
      ),
      { seed, numRuns: 200 },
    );
  });
});

/** Who owns what once all free shards have been given away, before anything moves. */
function settledGrants(state: ShardState): Owners {
  const { grants } = planShards(state);
  return state.owners.map((owner, shard) => owner ?? grants.get(shard));
}
