import { deservesMoreTime } from '#core/classic/resolution/given-up';
import type { NamespaceSubject } from '#core/kernel/subject/subject';
import type { SeenVersions } from '#platform/kube/resource-version';
import type { JobQueue } from '#platform/queue/job-queue.port';
import type { ResolveJob, SubjectJob } from '#platform/queue/jobs';
import type { ProblemStore } from '#platform/store/problem-store.port';
import type { ObservedProblem } from './observe-namespace.js';

export type PublishDeps = Readonly<{
  store: ProblemStore;
  resolve: JobQueue<ResolveJob>;
  apply: JobQueue<SubjectJob>;
  /** Problems that were given up after less are solved anew. */
  solveDeadlineMs: number;
}>;

/**
 * Makes the namespace's problem known and has it solved, unless its solution is there already, and has the applier look at
 * the namespace. The namespace is put among the waiters *before* the solution is looked for, while the resolver stores the
 * solution *before* it takes the waiters: whichever comes first, nobody waits in vain.
 */
export async function publishProblem(
  deps: PublishDeps,
  where: NamespaceSubject,
  observed: ObservedProblem | undefined,
  seen: SeenVersions,
): Promise<void> {
  await deps.store.putSeen(where.cluster, where.namespace, seen);
  if (observed !== undefined) {
    const { hash, problem, records } = observed;
    await deps.store.putProblem(problem, records);
    await deps.store.putObservation(where.cluster, where.namespace, { problem: hash });
    await deps.store.waitFor(hash, where);
    const solution = await deps.store.getSolution(hash);
    if (solution === undefined || deservesMoreTime(solution, deps.solveDeadlineMs)) {
      await deps.resolve.add({ v: 1, problem: hash, owner: where });
    }
  }
  await deps.apply.add({ v: 1, ...where });
}
