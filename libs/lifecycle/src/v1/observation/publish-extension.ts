import type { JobQueue } from '#platform/queue/job-queue.port';
import type { ExtensionJob, ResolveJob } from '#platform/queue/jobs';
import type { ExtensionProblems, ProblemStore } from '#platform/store/problem-store.port';
import type { ObservedExtension } from './observe-extension.js';

export type PublishExtensionDeps = Readonly<{
  store: ProblemStore<ExtensionProblems>;
  resolve: JobQueue<ResolveJob>;
  apply: JobQueue<ExtensionJob>;
}>;

/** Makes the extension's problem known and has it solved, and has the applier look at it; in the order of `publishProblem`. */
export async function publishExtension(
  { store, resolve, apply }: PublishExtensionDeps,
  { cluster, extension }: Readonly<{ cluster: string; extension: string }>,
  observed: ObservedExtension | undefined,
): Promise<void> {
  if (observed !== undefined) {
    const { hash, problem, records } = observed;
    await store.putProblem(problem, records);
    await store.putObservation(cluster, extension, { problem: hash });
    const owner = { cluster, namespace: extension };
    await store.waitFor(hash, owner);
    if ((await store.getSolution(hash)) === undefined) {
      await resolve.add({ v: 1, problem: hash, extension: true, owner });
    }
  }
  await apply.add({ v: 1, cluster, extension });
}
