import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Constraint, ConstraintSystem } from '../constraints/constraint-system.js';
import { minimalCore } from '../explain/minimal-core.js';
import { quickVerdict } from '../explain/quick-verdict.js';
import { SatCheck } from '../explain/sat-check.js';
import { sampleSubscription } from '../sample-problem.fixture.js';
import { search } from './preference-search.js';

const seed = Number(process.env['FLOTILLA_TEST_SEED'] ?? Date.now() % 2 ** 31);
const VARIABLES = 9;

const index = fc.nat(VARIABLES - 1);
const some = (minLength: number, maxLength: number) => fc.uniqueArray(index, { minLength, maxLength });
const constraint: fc.Arbitrary<Constraint> = fc.oneof(
  { weight: 2, arbitrary: index.map((subject): Constraint => ({ kind: 'mandatory', subject })) },
  {
    weight: 1,
    arbitrary: index.map((subject): Constraint => ({ kind: 'prohibited', subject, why: { deprecated: true } })),
  },
  {
    weight: 6,
    arbitrary: fc
      .tuple(index, some(0, 4))
      .map(([subject, candidates]): Constraint => ({ kind: 'requires', subject, candidates })),
  },
  {
    weight: 2,
    arbitrary: fc.tuple(index, index).map(([subject, other]): Constraint => ({ kind: 'conflict', subject, other })),
  },
  {
    weight: 3,
    arbitrary: some(2, 4).map((members): Constraint => ({ kind: 'at-most-one', members, shared: 'package', of: 'p' })),
  },
);
const system: fc.Arbitrary<ConstraintSystem> = fc
  .array(constraint, { minLength: 3, maxLength: 22 })
  .map((constraints) => ({ variables: subscriptions(VARIABLES), constraints }));

/**
 * Many requirements, few places: the case for the pigeonhole check. Requirements 0 to 4, candidates 5 to 13.
 */
const crowded: fc.Arbitrary<ConstraintSystem> = fc
  .tuple(
    fc.array(fc.uniqueArray(fc.integer({ min: 5, max: 13 }), { minLength: 1, maxLength: 4 }), {
      minLength: 3,
      maxLength: 5,
    }),
    fc.array(fc.uniqueArray(fc.integer({ min: 5, max: 13 }), { minLength: 3, maxLength: 5 }), {
      minLength: 2,
      maxLength: 3,
    }),
    fc.array(fc.tuple(fc.integer({ min: 5, max: 13 }), fc.integer({ min: 5, max: 13 })), { maxLength: 4 }),
  )
  .map(([needs, seats, conflicts]) => ({
    variables: subscriptions(14),
    constraints: [
      ...needs.map((_, subject): Constraint => ({ kind: 'mandatory', subject })),
      ...needs.map((candidates, subject): Constraint => ({ kind: 'requires', subject, candidates })),
      ...conflicts.map(([subject, other]): Constraint => ({ kind: 'conflict', subject, other })),
      ...seats.map((members): Constraint => ({ kind: 'at-most-one', members, shared: 'api', of: 'seat' })),
    ],
  }));

const subscriptions = (count: number): ConstraintSystem['variables'] =>
  Array.from({ length: count }, (_, i) => ({ kind: 'subscription', subscription: sampleSubscription(`v${i}`) }));

/**
 * OLM's search, written down plainly: take obligations in order, try candidates in order, step
 * back one choice at a time.
 */
function chronological({ constraints }: ConstraintSystem): readonly number[] | undefined {
  const start = constraints.flatMap((rule) => (rule.kind === 'mandatory' ? [[rule.subject]] : []));
  const obligationsOf = (picked: number) =>
    constraints.flatMap((rule) => (rule.kind === 'requires' && rule.subject === picked ? [rule.candidates] : []));
  const go = (queue: readonly (readonly number[])[], picked: readonly number[]): readonly number[] | undefined => {
    const [first, ...rest] = queue;
    if (first === undefined) return picked;
    if (first.some((candidate) => picked.includes(candidate))) return go(rest, picked);
    for (const candidate of first) {
      const next = [...picked, candidate];
      if (!constraints.every((rule) => allows(rule, next))) continue;
      const found = go([...rest, ...obligationsOf(candidate)], next);
      if (found !== undefined) return found;
    }
    return undefined;
  };
  return go(start, []);
}

function allows(rule: Constraint, picked: readonly number[]): boolean {
  if (rule.kind === 'prohibited') return !picked.includes(rule.subject);
  if (rule.kind === 'conflict') return !(picked.includes(rule.subject) && picked.includes(rule.other));
  return rule.kind !== 'at-most-one' || rule.members.filter((member) => picked.includes(member)).length < 2;
}

describe(`the search on random systems (FLOTILLA_TEST_SEED=${seed})`, () => {
  it('picks what chronological search picks, in its order', () => {
    fc.assert(
      fc.property(system, (random) => {
        const found = search(random);
        expect(found.verdict === 'satisfiable' ? found.picked : undefined).toEqual(chronological(random));
      }),
      { seed, numRuns: 1_000 },
    );
  });

  it('picks the same when it counts seats at every step', () => {
    const counting = { from: 0, every: 0 };
    fc.assert(
      fc.property(fc.oneof(system, crowded), (random) => {
        const found = search(random, { conflicts: 1_000, work: 1e7, counting });
        expect(found.verdict === 'satisfiable' ? found.picked : undefined).toEqual(chronological(random));
      }),
      { seed, numRuns: 1_000 },
    );
  });

  it('agrees with an independent solver on whether there is a solution', () => {
    fc.assert(
      fc.property(system, (random) => {
        const all = [...random.constraints.keys()];
        expect(search(random).verdict === 'satisfiable').toBe(new SatCheck(random, all).satisfiable(all));
      }),
      { seed, numRuns: 60 },
    );
  });

  it('agrees with what is seen without a search', () => {
    let seen = 0;
    fc.assert(
      fc.property(fc.oneof(system, crowded), (random) => {
        const quick = quickVerdict(random, [...random.constraints.keys()]);
        if (quick === 'unknown') return;
        seen += 1;
        expect(quick).toBe(search(random).verdict);
      }),
      { seed, numRuns: 1_000 },
    );
    expect(seen).toBeGreaterThan(100);
  });

  it('names a core of which every constraint is needed', () => {
    fc.assert(
      fc.property(system, (random) => {
        const found = search(random);
        if (found.verdict !== 'unsatisfiable') return;
        const core = minimalCore(random, found);
        const verdict = (indices: readonly number[]) =>
          search({ ...random, constraints: indices.flatMap((at) => random.constraints[at] ?? []) }).verdict;
        expect(verdict(core)).toBe('unsatisfiable');
        for (const left of core) expect(verdict(core.filter((at) => at !== left))).toBe('satisfiable');
      }),
      { seed, numRuns: 60 },
    );
  });
});

describe('the search on hard problems', () => {
  it('gives up when the budget is spent, at the same point every time', () => {
    const pigeons = pigeonHoles(9);
    const runs = [search(pigeons, { conflicts: 50, work: 1e9 }), search(pigeons, { conflicts: 50, work: 1e9 })];
    expect(runs[0]).toMatchObject({ verdict: 'exhausted', conflicts: 50 });
    expect(runs[1]).toEqual(runs[0]);
  });
  it('gives up when the work is spent, however few the conflicts', () => {
    expect(search(pigeonHoles(9), { conflicts: 1e9, work: 2_000 }).verdict).toBe('exhausted');
  });
  it.each([5, 9, 14, 30])(
    'proves that one pigeon more than %i holes does not fit, and needs every pigeon for it',
    (holes) => {
      const pigeons = pigeonHoles(holes);
      const found = search(pigeons);
      expect(found).toMatchObject({ verdict: 'unsatisfiable' });
      if (found.verdict !== 'unsatisfiable') return;
      expect(minimalCore(pigeons, found)).toEqual([...pigeons.constraints.keys()]);
    },
  );
  it('leaves pigeons out of the proof that have a hole of their own', () => {
    const pigeons = pigeonHoles(9);
    const free = { kind: 'requires', subject: 90, candidates: [99] } as const;
    const constraints = pigeons.constraints.map((rule, at) => (at === 1 ? free : rule));
    const freed = { variables: subscriptions(100), constraints };
    expect(search(freed).verdict).toBe('satisfiable');
  });
  it('does not count a candidate that was ruled out on the way and meets two needs at once', () => {
    // Requirements 3, 4 and 5 have two places; variable 12 satisfies 3 and 4 together, and 1, which is
    // tried first, excludes it.
    const seat = (members: number[]): Constraint => ({ kind: 'at-most-one', members, shared: 'api', of: 'seat' });
    const constraints: Constraint[] = [
      ...[0, 3, 4, 5].map((subject): Constraint => ({ kind: 'mandatory', subject })),
      { kind: 'requires', subject: 0, candidates: [1, 2] },
      { kind: 'conflict', subject: 1, other: 12 },
      { kind: 'requires', subject: 3, candidates: [6, 9, 12] },
      { kind: 'requires', subject: 4, candidates: [7, 10, 12] },
      { kind: 'requires', subject: 5, candidates: [8, 11] },
      seat([6, 7, 8, 12]),
      seat([9, 10, 11]),
    ];
    const found = search(
      { variables: subscriptions(13), constraints },
      { conflicts: 1_000, work: 1e6, counting: { from: 0, every: 0 } },
    );
    expect(found).toMatchObject({ verdict: 'satisfiable', picked: [0, 3, 4, 5, 2, 12, 11] });
  });
  it('takes the second best when the best leads into a crowd', () => {
    const pigeons = pigeonHoles(9);
    const count = pigeons.variables.length;
    const [desired, crowded, roomy] = [count, count + 1, count + 2];
    const needs = pigeons.constraints.flatMap((rule): Constraint[] =>
      rule.kind === 'mandatory' ? [{ kind: 'requires', subject: crowded, candidates: [rule.subject] }] : [rule],
    );
    const constraints: Constraint[] = [
      { kind: 'mandatory', subject: desired },
      { kind: 'requires', subject: desired, candidates: [crowded, roomy] },
      ...needs,
    ];
    expect(search({ variables: subscriptions(count + 3), constraints })).toMatchObject({ picked: [desired, roomy] });
  });
});

/** One pigeon too many: variable `p·holes + h` says that pigeon p sits in hole h. */
function pigeonHoles(holes: number): ConstraintSystem {
  const seat = (pigeon: number, hole: number) => pigeon * holes + hole;
  const range = (count: number) => Array.from({ length: count }, (_, i) => i);
  const first = (holes + 1) * holes;
  const constraints: Constraint[] = range(holes + 1).flatMap((pigeon): Constraint[] => [
    { kind: 'mandatory', subject: first + pigeon },
    { kind: 'requires', subject: first + pigeon, candidates: range(holes).map((hole) => seat(pigeon, hole)) },
  ]);
  for (const hole of range(holes)) {
    const members = range(holes + 1).map((pigeon) => seat(pigeon, hole));
    constraints.push({ kind: 'at-most-one', members, shared: 'api', of: `hole ${hole}` });
  }
  return { variables: subscriptions(first + holes + 1), constraints };
}
