import { subjectName } from '#core/kernel/subject/subject';
import type { SeenVersions } from '#platform/kube/cache/resource-version';
import type { JobQueue } from '#platform/queue/job-queue.port';
import type { ResolveJob, SubjectJob } from '#platform/queue/jobs';
import type { ExtensionProblems, ProblemStore } from '#platform/store/problem-store.port';
import type { ObservedExtension } from './observe-extension.js';
import type { RevisionsSubject } from './observed-extensions.js';

export type PublishExtensionDeps = Readonly<{
  store: ProblemStore<ExtensionProblems>;
  /** What was seen of subjects of all kinds is in one place. */
  seen: Pick<ProblemStore, 'putSeen'>;
  resolve: JobQueue<ResolveJob>;
  apply: JobQueue<SubjectJob>;
}>;

/**
 * Stores what was seen, publishes the extension's problem, has it solved, and enqueues a pass of the
 * applier; in the order of `publishProblem`.
 */
export async function publishExtension(
  deps: PublishExtensionDeps,
  subject: RevisionsSubject,
  observed: ObservedExtension | undefined,
  seen: SeenVersions,
): Promise<void> {
  const { cluster } = subject;
  await Promise.all([deps.seen.putSeen(cluster, subjectName(subject), seen), publish(deps, subject, observed)]);
  await deps.apply.add({ v: 1, ...subject });
}

async function publish(
  { store, resolve }: PublishExtensionDeps,
  subject: RevisionsSubject,
  observed: ObservedExtension | undefined,
): Promise<void> {
  if (observed === undefined || !('extension' in subject)) return;
  const { hash, problem, records } = observed;
  const { cluster, extension } = subject;
  await Promise.all([store.putProblem(problem, records), store.waitFor(hash, subject)]);
  const [solution] = await Promise.all([
    store.getSolution(hash),
    store.putObservation(cluster, extension, { problem: hash }),
  ]);
  if (solution !== undefined) return;
  await resolve.add({ v: 1, problem: hash, extension: true, owner: { cluster, namespace: extension } });
}
