import { describe, expect, it } from 'vitest';
import type { ResolutionProblem } from '#core/classic/resolution/resolution-problem';
import { MemoryProblemStore } from '#platform/store/memory-problem-store';
import { ObservedProblems } from './observed-problems.js';
import type { NamespaceStageInput } from './stage.js';

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

/** A round of a pass over the namespace `apps`. */
const round = (): Pick<NamespaceStageInput, 'client' | 'read'> =>
  ({ client: { cluster: 'east' }, read: { namespace: 'apps' } }) as never;

async function observed(problem: ResolutionProblem) {
  const store = new CountingStore();
  const hash = await store.putProblem(problem, new Map());
  await store.putObservation('east', 'apps', { problem: hash });
  return { store, hash, problems: new ObservedProblems(store) };
}

describe('ObservedProblems', () => {
  it('reads an observation once for all stages of a round, and a problem once for all rounds', async () => {
    const { store, hash, problems } = await observed(problemOf('apps'));
    const first = round();
    const answers = await Promise.all([problems.of(first), problems.of(first)]);
    answers.push(await problems.of(first), await problems.of(round()));
    expect(answers).toEqual(Array(4).fill({ hash, problem: problemOf('apps') }));
    expect(store.asked).toEqual(['observation', 'problem', 'observation']);
  });

  it('takes a new observation in the next round', async () => {
    const { store, problems } = await observed(problemOf('apps'));
    await problems.of(round());
    const hash = await store.putProblem(problemOf('other'), new Map());
    await store.putObservation('east', 'apps', { problem: hash });
    expect(await problems.of(round())).toEqual({ hash, problem: problemOf('other') });
  });

  it('does not remember that a problem is missing', async () => {
    const store = new CountingStore();
    const problems = new ObservedProblems(store);
    expect(await problems.of(round())).toBeUndefined();
    const hash = await store.putProblem(problemOf('apps'), new Map());
    await store.putObservation('east', 'apps', { problem: hash });
    expect((await problems.of(round()))?.hash).toBe(hash);
  });
});
