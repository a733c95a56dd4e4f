import { describe, expect, it } from 'vitest';
import type { Subject } from '#core/kernel/subject/subject';
import type { SubjectJob } from '#platform/queue/jobs';
import { memoryQueues } from '#platform/queue/queues';
import { MemoryProblemStore } from '#platform/store/memory-problem-store';
import type { ExtensionProblems } from '#platform/store/problem-store.port';
import { SolvedProblems } from './solved-problems.js';

const HASH = 'a'.repeat(64);
const NAMESPACE: Subject = { cluster: 'east', namespace: 'lamp' };
const EXTENSION: Subject = { cluster: 'east', extension: 'lamp' };

/**
 * A namespace and an extension of the same name wait for problems of the same hash, each in
 * the store of its family.
 */
async function waiting() {
  const problems = new MemoryProblemStore();
  const extensionProblems = new MemoryProblemStore<ExtensionProblems>();
  await problems.waitFor(HASH, NAMESPACE);
  await extensionProblems.waitFor(HASH, EXTENSION);
  const { apply, observe } = memoryQueues();
  const applied: SubjectJob[] = [];
  await apply.process(async (job) => void applied.push(job), { concurrency: 1 });
  const solved = new SolvedProblems({ problems, extensionProblems, queues: { apply, observe } });
  return { problems, extensionProblems, solved, applied, observe };
}

describe('a problem that a resolver has handled', () => {
  it.each([
    ['of a namespace', {}, NAMESPACE],
    ['of an extension', { extension: true }, EXTENSION],
  ] as const)('%s wakes the subject that waits for it, and no other', async (_, family, subject) => {
    const { problems, extensionProblems, solved, applied } = await waiting();
    await problems.putSolution(HASH, { result: 'error', message: 'none', advice: 'none' });
    await extensionProblems.putSolution(HASH, { class: 'NotFound', error: 'none' });
    await solved.run({ v: 1, problem: HASH, ...family });
    await expect.poll(() => applied).toEqual([{ v: 1, ...subject }]);
  });

  it.each([
    ['of a namespace', {}],
    ['of an extension', { extension: true }],
  ] as const)('%s without a solution is observed again, after a pause', async (_, family) => {
    const { solved, applied, observe } = await waiting();
    await solved.run({ v: 1, problem: HASH, ...family });
    expect([applied, (await observe.counts()).delayed]).toEqual([[], 1]);
    await observe.close();
  });
});
