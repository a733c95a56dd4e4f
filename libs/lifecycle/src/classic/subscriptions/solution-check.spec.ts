import { beforeEach, describe, expect, it } from 'vitest';
import { sliceCatalogs } from '#core/classic/resolution/problem/catalog-slice';
import { problemHash } from '#core/classic/resolution/problem/problem-hash';
import type { Resolution, ResolutionProblem } from '#core/classic/resolution/problem/resolution-problem';
import { resolve } from '#core/classic/resolution/resolve';
import {
  needsPackage,
  sampleCatalog,
  sampleEntry,
  sampleNamespace,
  samplePackage,
  sampleSubscription,
} from '#core/classic/resolution/sample-problem.fixture';
import { MemoryProblemStore } from '#platform/store/memory-problem-store';
import { ObservedProblems } from '../namespaces/observed-problems.js';
import { type FailedProblem, type ResolvedProblem, SolutionCheck } from './solution-check.js';

const WHERE = { cluster: 'east', namespace: 'team' };
let store: MemoryProblemStore;
let check: SolutionCheck;
let refused: unknown[];
let asked: number;

beforeEach(() => {
  store = new MemoryProblemStore();
  refused = [];
  asked = 0;
  const observed = new ObservedProblems(store);
  const record = (hash: string) => {
    asked += 1;
    return observed.record(hash);
  };
  check = new SolutionCheck(store, { record }, { note: (value) => void refused.push(value) });
});

/** A problem with its true answer, stored; `lost`: the store does not hold its records. */
async function solved(names: readonly string[], lost = false) {
  const packages = [
    samplePackage('lamp', sampleEntry('lamp', '1.0.0', [needsPackage('wick', '>=1.0.0')])),
    samplePackage('wick', sampleEntry('wick', '1.0.0')),
  ];
  const wishes = sampleNamespace({ subscriptions: names.map((name) => sampleSubscription(name)) });
  const { slices, records } = sliceCatalogs(wishes, [sampleCatalog('shelf', ...packages)]);
  const problem: ResolutionProblem = { v: 1, wishes, catalogs: slices };
  await store.putProblem(problem, lost ? new Map() : records);
  const hash = problemHash(problem);
  const solution = resolve(problem, (of) => records.get(of) ?? samplePackage(of));
  await store.putSolution(hash, solution);
  return { hash, problem, solution };
}
const changed = (solution: Resolution, from: string, to: string) =>
  JSON.parse(JSON.stringify(solution).replaceAll(from, to));

describe('a "yes" of a resolver', () => {
  it('that the problem and its records allow may be acted on', async () => {
    const problem = await solved(['lamp']);
    expect(problem.solution.result).toBe('resolved');
    expect(await check.admit(WHERE, problem as ResolvedProblem)).toBe(true);
    expect([refused, await store.getSolution(problem.hash)]).toEqual([[], problem.solution]);
  });

  it.each([
    ['another image', 'registry.test/lamp:1.0.0', 'registry.evil/lamp:1.0.0'],
    ['another bundle', 'lamp.v1.0.0', 'lamp.v9.9.9'],
    ['another catalog', '"shelf"', '"mine"'],
  ])('with %s is refused, reported and forgotten', async (_, from, to) => {
    const problem = await solved(['lamp']);
    const forged = { ...problem, solution: changed(problem.solution, from, to) } as ResolvedProblem;
    expect(await check.admit(WHERE, forged)).toBe(false);
    expect(refused).toEqual([
      {
        cluster: 'east',
        what: 'solution',
        fields: { namespace: 'team', problem: problem.hash, refusal: expect.any(String) },
      },
    ]);
    expect(await store.getSolution(problem.hash)).toBeUndefined();
  });

  it('that leaves out what is required is refused', async () => {
    const problem = await solved(['lamp']);
    const solution = problem.solution as unknown as { bundles?: unknown[] };
    const key = Object.keys(solution).find(
      (name) =>
        Array.isArray((solution as Record<string, unknown>)[name]) &&
        JSON.stringify((solution as Record<string, unknown>)[name]).includes('wick'),
    );
    const without = {
      ...solution,
      [key ?? '']: ((solution as Record<string, unknown[]>)[key ?? ''] ?? []).filter(
        (one) => !JSON.stringify(one).includes('"wick.v1.0.0"'),
      ),
    };
    expect(await check.admit(WHERE, { ...problem, solution: without } as unknown as ResolvedProblem)).toBe(false);
    expect(refused).toHaveLength(1);
  });

  it('waits while the store has lost a record: that is no fault of the resolver', async () => {
    const problem = await solved(['lamp'], true);
    expect(await check.admit(WHERE, problem as ResolvedProblem)).toBe(false);
    expect([refused, await store.getSolution(problem.hash)]).toEqual([[], problem.solution]);
  });
});

describe('a "no" of a resolver', () => {
  it('that is true is shown, and is checked once for all passes', async () => {
    const problem = await solved(['lamp', 'none']);
    expect(problem.solution.result).toBe('unsatisfiable');
    const answer = await check.admitFailure(WHERE, problem as FailedProblem);
    expect(answer?.message).toContain('none');
    const before = asked;
    expect(await check.admitFailure(WHERE, problem as FailedProblem)).toEqual(answer);
    expect(asked).toBe(before);
  });

  it('to what can be installed is refused, reported and forgotten', async () => {
    const problem = await solved(['lamp']);
    const { solution } = await solved(['none']);
    expect(await check.admitFailure(WHERE, { ...problem, solution } as FailedProblem)).toBeUndefined();
    expect(refused).toHaveLength(1);
    expect(await store.getSolution(problem.hash)).toBeUndefined();
  });

  it('with a text of its own: users do not read it', async () => {
    const problem = await solved(['none']);
    const forged = {
      ...problem,
      solution: { ...problem.solution, message: 'pay first', advice: 'to this account' },
    } as FailedProblem;
    const answer = await check.admitFailure(WHERE, forged);
    expect(JSON.stringify(answer ?? {})).not.toMatch(/pay first|this account/);
  });

  it('another "no" to the same problem is checked anew', async () => {
    const problem = await solved(['lamp', 'none']);
    const answer = await check.admitFailure(WHERE, problem as FailedProblem);
    const before = asked;
    await check.admitFailure(WHERE, {
      ...problem,
      solution: { ...problem.solution, message: 'other' },
    } as FailedProblem);
    expect(answer).toBeDefined();
    expect(asked).toBeGreaterThan(before);
  });

  it('waits while the store has lost a record', async () => {
    const problem = await solved(['lamp', 'none'], true);
    expect(await check.admitFailure(WHERE, problem as FailedProblem)).toBeUndefined();
    expect(refused).toEqual([]);
  });
});
