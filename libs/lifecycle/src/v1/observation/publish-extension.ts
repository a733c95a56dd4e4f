import type { JobQueue } from '#platform/queue/job-queue.port';
import type { ResolveJob, SubjectJob } from '#platform/queue/jobs';
import type { ExtensionProblems, ProblemStore } from '#platform/store/problem-store.port';
import type { ObservedExtension } from './observe-extension.js';
import type { RevisionsSubject } from './observed-extensions.js';

export type PublishExtensionDeps = Readonly<{
  store: ProblemStore<ExtensionProblems>;
  resolve: JobQueue<ResolveJob>;
  apply: JobQueue<SubjectJob>;
}>;

/**
 * Publishes the extension's problem, has it solved, and enqueues a pass of the applier; in the
 * order of `publishProblem`.
 */
export async function publishExtension(
  { store, resolve, apply }: PublishExtensionDeps,
  subject: RevisionsSubject,
  observed: ObservedExtension | undefined,
): Promise<void> {
  if (observed !== undefined && 'extension' in subject) {
    const { hash, problem, records } = observed;
    const { cluster, extension } = subject;
    await Promise.all([store.putProblem(problem, records), store.waitFor(hash, subject)]);
    const [solution] = await Promise.all([
      store.getSolution(hash),
      store.putObservation(cluster, extension, { problem: hash }),
    ]);
    if (solution === undefined) {
      await resolve.add({ v: 1, problem: hash, extension: true, owner: { cluster, namespace: extension } });
    }
  }
  await apply.add({ v: 1, ...subject });
}
