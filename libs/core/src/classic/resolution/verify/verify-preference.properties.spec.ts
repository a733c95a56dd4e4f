import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ConstraintBuilder } from '../constraints/build-constraints.js';
import type { Constraint, ConstraintSystem, Variable } from '../constraints/constraint-system.js';
import { pickedEntries } from '../constraints/picked-entries.js';
import { snapshotOf } from '../constraints/prepare.js';
import { Snapshot } from '../constraints/snapshot.js';
import { resolutionOf } from '../problem/resolution-of.js';
import { desiredNamespaceOf, namespace, PACKAGES, records } from '../random-namespace.fixture.js';
import { sampleCatalog, sampleSubscription } from '../sample-problem.fixture.js';
import { search } from '../search/preference-search.js';
import { passedOver } from './preferred-bundles.js';
import { isolating, type Resolved, World } from './verified-world.fixture.js';

const seed = Number(process.env['FLOTILLA_TEST_SEED'] ?? Date.now() % 2 ** 31);
const runs = Number(process.env['FLOTILLA_SOLUTION_RUNS'] ?? 200);

/** Random namespaces on three catalogs of different priorities, which offer parts of the same packages. */
const worlds = fc
  .tuple(
    namespace,
    fc.boolean(),
    fc.array(fc.record({ priority: fc.constantFrom(-100, 0, 0, 100), names: fc.subarray(PACKAGES) }), {
      minLength: 2,
      maxLength: 2,
    }),
    fc.array(fc.nat(2), { minLength: PACKAGES.length, maxLength: PACKAGES.length }),
  )
  .map(([of, isolate, more, sources]) => {
    const desired = desiredNamespaceOf(of);
    const subscriptions = desired.subscriptions.map((one, at) => {
      const source = more[(sources[at] ?? 2) as 0 | 1];
      return source?.names.includes(one.package) ? { ...one, source: `more-${sources[at]}` } : one;
    });
    const catalogs = more.map(({ priority, names }, at) => ({
      ...sampleCatalog(`more-${at}`, ...records(of).filter(({ name }) => names.includes(name))),
      priority,
    }));
    const groups = isolate ? { operatorGroups: isolating } : {};
    return new World({ ...desired, subscriptions, ...groups }, records(of), catalogs);
  });

function systemOf({ problem, record }: World) {
  const snapshot = snapshotOf(problem, record) as Snapshot;
  const builder = new ConstraintBuilder(snapshot);
  builder.addInstalled();
  for (const one of problem.wishes.subscriptions) builder.addSubscription(one);
  return { builder, system: builder.build() };
}

const ofCatalog = (picked: readonly number[], { variables }: ConstraintSystem): readonly number[] =>
  picked.filter((index) => {
    const variable = variables[index];
    return variable?.kind === 'entry' && variable.entry.from.kind === 'catalog';
  });

const pickedBy = (system: ConstraintSystem): readonly number[] => {
  const found = search(system);
  return found.verdict === 'satisfiable' ? ofCatalog(found.picked, system) : [];
};

/** An answer that the rules allow, without one bundle of the own answer; undefined if there is none. */
function otherAnswer(world: World, avoided: number): Resolved | undefined {
  const { builder, system } = systemOf(world);
  const ban: Constraint = { kind: 'prohibited', subject: avoided, why: { deprecated: true } };
  const found = search({ ...system, constraints: [ban, ...system.constraints] });
  if (found.verdict !== 'satisfiable') return undefined;
  return resolutionOf(pickedEntries(system, found.picked), world.problem.wishes, builder) as Resolved;
}

describe(`random namespaces (FLOTILLA_TEST_SEED=${seed} FLOTILLA_SOLUTION_RUNS=${runs})`, () => {
  it('have answers that are taken, with and without the search, a failure with its message', () => {
    const seen = { taken: 0, leftOut: 0, failed: 0 };
    const check = (world: World) => {
      const answer = world.answer();
      if (answer.result !== 'resolved') {
        seen.failed += 1;
        expect(world.check(answer)).toMatchObject({ answer: { result: answer.result, message: answer.message } });
        return;
      }
      seen.taken += 1;
      expect(world.refusal(answer)).toBeUndefined();
      if ((answer.unresolved ?? []).length > 0) seen.leftOut += 1;
      else {
        const { system } = systemOf(world);
        expect(passedOver(new Set(pickedBy(system)), system)).toBeUndefined();
      }
    };
    fc.assert(fc.property(worlds, check), { seed, numRuns: runs });
    expect(Math.min(seen.taken, seen.leftOut, seen.failed)).toBeGreaterThan(runs / 50);
  });

  it('have no other answer that is taken', () => {
    let refused = 0;
    const check = (world: World) => {
      if (world.problem.wishes.operatorGroups[0]?.isolate === true || world.answer().result !== 'resolved') return;
      for (const avoided of pickedBy(systemOf(world).system)) {
        const forged = otherAnswer(world, avoided);
        if (forged === undefined) continue;
        refused += 1;
        expect(world.refusal(forged)).toMatch(/the rules of the problem allow it$/);
      }
    };
    fc.assert(fc.property(worlds, check), { seed, numRuns: runs / 2 });
    expect(refused).toBeGreaterThan(0);
  });
});

const VARIABLES = 10;
const index = fc.nat(VARIABLES - 1);
/** Of each three variables one is a Subscription, one an installed CSV, and one an entry of a catalog. */
const kindOf = (at: number) => (['subscription', 'catalog', 'catalog', 'installed', 'catalog'] as const)[at % 5];
const variables = Array.from({ length: VARIABLES }, (_, at): Variable => {
  const kind = kindOf(at);
  return kind === 'subscription'
    ? { kind, subscription: sampleSubscription(`v${at}`) }
    : ({ kind: 'entry', entry: { name: `v${at}`, from: { kind } } } as Variable);
});
const anchor = index.filter((at) => kindOf(at) !== 'catalog');
const entry = index.filter((at) => kindOf(at) !== 'subscription');
const constraint: fc.Arbitrary<Constraint> = fc.oneof(
  { weight: 2, arbitrary: anchor.map((subject): Constraint => ({ kind: 'mandatory', subject })) },
  {
    weight: 1,
    arbitrary: entry.map((subject): Constraint => ({ kind: 'prohibited', subject, why: { deprecated: true } })),
  },
  {
    weight: 6,
    arbitrary: fc
      .tuple(index, fc.uniqueArray(entry, { maxLength: 4 }))
      .map(([subject, candidates]): Constraint => ({ kind: 'requires', subject, candidates })),
  },
  {
    weight: 2,
    arbitrary: fc.tuple(entry, entry).map(([subject, other]): Constraint => ({ kind: 'conflict', subject, other })),
  },
  {
    weight: 3,
    arbitrary: fc
      .uniqueArray(entry, { minLength: 2, maxLength: 4 })
      .map((members): Constraint => ({ kind: 'at-most-one', members, shared: 'package', of: 'p' })),
  },
);

describe(`random rules (FLOTILLA_TEST_SEED=${seed} FLOTILLA_SOLUTION_RUNS=${runs})`, () => {
  it('never have the choice of the search taken for one that passes something over, whatever else is given up', () => {
    const seen = { solved: 0 };
    fc.assert(
      fc.property(
        fc.array(constraint, { minLength: 3, maxLength: 22 }),
        fc.array(constraint, { maxLength: 3 }),
        (constraints, given) => {
          const found = search({ variables, constraints });
          if (found.verdict !== 'satisfiable') return;
          seen.solved += 1;
          const chosen = new Set(ofCatalog(found.picked, { variables, constraints }));
          expect(passedOver(chosen, { variables, constraints })).toBeUndefined();
          const alsoGiven = given.filter(({ kind }) => kind === 'requires');
          expect(passedOver(chosen, { variables, constraints: [...constraints, ...alsoGiven] })).toBeUndefined();
        },
      ),
      { seed, numRuns: runs * 5 },
    );
    expect(seen.solved).toBeGreaterThan(runs);
  });
});
