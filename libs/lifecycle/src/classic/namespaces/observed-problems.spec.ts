import { describe, expect, it } from 'vitest';
import type { ResolutionProblem } from '#core/classic/resolution/problem/resolution-problem';
import { MemoryProblemStore } from '#platform/store/memory-problem-store';
import type { NamespaceStageInput } from './namespace-stage.js';
import { ObservedProblems } from './observed-problems.js';

const problemOf = (namespace: string): ResolutionProblem =>
  ({
    v: 1,
    wishes: { namespace, globalCatalogNamespace: 'olm', operatorGroups: [], subscriptions: [], installed: [] },
    catalogs: [],
  }) as never;

/** A store that counts what it is asked for. */
class CountingStore extends MemoryProblemStore {
  readonly asked: string[] = [];

  override getObservation(...place: [string, string]) {
    this.asked.push('observation');
    return super.getObservation(...place);
  }

  override getProblem(hash: string) {
    this.asked.push('problem');
    return super.getProblem(hash);
  }
}

/** The rounds of a pass over the namespace `apps`. */
function rounds(): () => Pick<NamespaceStageInput, 'client' | 'read' | 'reader'> {
  const reader = {};
  return () => ({ client: { cluster: 'east' }, read: { namespace: 'apps' }, reader }) as never;
}

async function observed(problem: ResolutionProblem) {
  const store = new CountingStore();
  const hash = await store.putProblem(problem, new Map());
  await store.putObservation('east', 'apps', { problem: hash });
  return { store, hash, problems: new ObservedProblems(store) };
}

describe('ObservedProblems', () => {
  it('reads an observation once for all rounds of a pass, and a problem once for all passes', async () => {
    const { store, hash, problems } = await observed(problemOf('apps'));
    const round = rounds();
    const answers = await Promise.all([problems.of(round()), problems.of(round())]);
    answers.push(await problems.of(round()), await problems.of(rounds()()));
    expect(answers).toEqual(Array(4).fill({ hash, problem: problemOf('apps') }));
    expect(store.asked).toEqual(['observation', 'problem', 'observation']);
  });

  it('takes a new observation in the next round that asks for it, once in a round, and in the next pass', async () => {
    const { store, hash: before, problems } = await observed(problemOf('apps'));
    const round = rounds();
    const first = round();
    await problems.of(first);
    const hash = await store.putProblem(problemOf('other'), new Map());
    await store.putObservation('east', 'apps', { problem: hash });
    expect((await problems.ofRound(first))?.hash).toBe(before);
    expect((await problems.of(round()))?.hash).toBe(before);
    const second = round();
    expect(await problems.ofRound(second)).toEqual({ hash, problem: problemOf('other') });
    expect((await problems.of(round()))?.hash).toBe(hash);
    expect((await problems.of(rounds()()))?.hash).toBe(hash);
  });

  it('does not remember that a problem is missing', async () => {
    const store = new CountingStore();
    const problems = new ObservedProblems(store);
    const round = rounds();
    expect(await problems.of(round())).toBeUndefined();
    const hash = await store.putProblem(problemOf('apps'), new Map());
    await store.putObservation('east', 'apps', { problem: hash });
    expect((await problems.of(round()))?.hash).toBe(hash);
  });

  it('reads a solution once in a pass, and does not remember that it is missing', async () => {
    const { store, hash, problems } = await observed(problemOf('apps'));
    const input = rounds()();
    await problems.of(input);
    expect(await problems.solution(input, hash)).toBeUndefined();
    const solution = { result: 'error', message: 'no', advice: 'none' } as const;
    await store.putSolution(hash, solution);
    expect(await problems.solution(input, hash)).toEqual(solution);
    await store.dropSolution(hash);
    expect(await problems.solution(input, hash)).toEqual(solution);
    expect(await problems.solution(rounds()(), hash)).toBeUndefined();
    problems.forgetSolution(input);
    expect(await problems.solution(input, hash)).toBeUndefined();
  });
});
