import { deservesMoreTime } from '#core/classic/resolution/given-up';
import type { NamespaceSubject } from '#core/kernel/subject/subject';
import type { SeenVersions } from '#platform/kube/cache/resource-version';
import type { JobQueue } from '#platform/queue/job-queue.port';
import type { ResolveJob, SubjectJob } from '#platform/queue/jobs';
import type { ProblemStore } from '#platform/store/problem-store.port';
import type { ObservedProblem } from './observe-namespace.js';

export type PublishDeps = Readonly<{
  store: ProblemStore;
  resolve: JobQueue<ResolveJob>;
  apply: JobQueue<SubjectJob>;
  /** Problems that were given up after less time are solved anew. */
  solveDeadlineMs: number;
}>;

/**
 * Stores the namespace's problem, has it solved unless its solution is there already, and enqueues a pass
 * over the namespace. The namespace is put among the waiters *before* the solution is read, while the
 * resolver stores the solution
 * *before* the waiters are taken: in either order, the namespace is enqueued once the solution
 * is there. What has no such
 * order is written at the same time. The pass does not wait for the solution: groups, plans and CSVs do not
 * depend on it, and a resolver may be slow or away.
 */
export async function publishProblem(
  { store, resolve, apply, solveDeadlineMs }: PublishDeps,
  where: NamespaceSubject,
  observed: ObservedProblem | undefined,
  seen: SeenVersions,
): Promise<void> {
  const seenIsStored = store.putSeen(where.cluster, where.namespace, seen);
  if (observed === undefined) {
    await seenIsStored;
  } else {
    const { hash, problem, records } = observed;
    await Promise.all([seenIsStored, store.putProblem(problem, records), store.waitFor(hash, where)]);
    const [solution] = await Promise.all([
      store.getSolution(hash),
      store.putObservation(where.cluster, where.namespace, { problem: hash }),
    ]);
    if (solution === undefined || deservesMoreTime(solution, solveDeadlineMs)) {
      await resolve.add({ v: 1, problem: hash, owner: where });
    }
  }
  await apply.add({ v: 1, ...where });
}
