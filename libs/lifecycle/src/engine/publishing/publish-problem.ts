import { changeOf } from '#core/kernel/change/change-id';
import type { Owner } from '#core/kernel/fairness/owner';
import { type Subject, subjectName } from '#core/kernel/subject/subject';
import type { SeenVersions } from '#platform/kube/cache/seen-versions';
import type { JobQueue } from '#platform/queue/job-queue.port';
import type { ResolveJob, SubjectJob } from '#platform/queue/jobs';
import type { ProblemFamily, ProblemStore } from '#platform/store/problem-store.port';
import type { FamilyRules } from './problem-families.js';

/**
 * Time at which a pass over the subject is due. `now`: at once. `for-news`: only for a new problem that is
 * solved already. `if-known`: like `for-news`, but nothing is published if Redis does not know the subject,
 * because Redis was emptied. Such a subject was at rest, and is published later, with a pass at a separate
 * time.
 */
export type PassAsk = 'now' | 'for-news' | 'if-known';

/** A problem as it was observed, with the package records that it names, by hash. */
export type ObservedProblem<F extends ProblemFamily> = Readonly<{
  hash: string;
  problem: F['problem'];
  records: ReadonlyMap<string, F['record']>;
}>;

/**
 * A change of a subject's problem: work in the cluster has changed with it. `owner` has the name of a
 * ClusterExtension in the place of the namespace. `sinceMs`: the time of the first event that caused it.
 */
export type PublishedChange = Readonly<{
  change: string;
  problem: string;
  subject: Subject;
  owner: Owner;
  sinceMs: number | undefined;
}>;

export type PublishDeps<F extends ProblemFamily> = Readonly<{
  rules: FamilyRules<F>;
  store: ProblemStore<F>;
  /** The store of the observed state: one for subjects of all kinds. */
  seen: Pick<ProblemStore, 'putSeen'>;
  resolve: JobQueue<ResolveJob>;
  apply: JobQueue<SubjectJob>;
  /** Problems that were given up after less time are solved again. */
  solveDeadlineMs: number;
  onChange?: ((change: PublishedChange) => void) | undefined;
}>;

/**
 * Stores the subject's problem, has it solved unless its solution is there already, and enqueues a pass over
 * the subject. The subject is put among the waiters *before* the solution is read. The resolver stores the
 * solution *before* it takes the waiters. In either order, the subject is enqueued once the solution is
 * there. Writes without such an order are made at the same time. The pass does not wait for the solution:
 * groups, plans, CSVs and revisions do not depend on it, and a resolver may be slow or unreachable.
 *
 * Most changes of a subject leave its problem as it is. A problem that was stored a short while ago is then
 * not written again, if Redis says that it is there (decision 0160). If no pass is urgent, none is
 * enqueued (decision 0190), except for a new problem with a solution that is there already: no
 * resolver reports it. Returns true if a pass was enqueued.
 */
export async function publishProblem<F extends ProblemFamily>(
  deps: PublishDeps<F>,
  subject: Subject,
  observed: ObservedProblem<F> | undefined,
  versions: SeenVersions,
  ask: PassAsk = 'now',
  sinceMs?: number,
): Promise<boolean> {
  const urgent = ask === 'now';
  const seenIsStored = deps.seen.putSeen(subject.cluster, subjectName(subject), versions);
  if (observed === undefined) {
    // Redis executes the commands of one connection in order: the pass finds the observed state.
    await Promise.all([seenIsStored, urgent ? deps.apply.add({ v: 1, ...subject }) : undefined]);
    return urgent;
  }
  const publish = ask === 'if-known' ? publishOther : publishObserved;
  const [, isNews] = await Promise.all([seenIsStored, publish(deps, subject, observed, sinceMs)]);
  if (!urgent && !isNews) return false;
  await deps.apply.add({ v: 1, ...subject });
  return true;
}

/** Like {@link publishObserved}, if Redis has another problem for the subject. */
async function publishOther<F extends ProblemFamily>(
  deps: PublishDeps<F>,
  subject: Subject,
  observed: ObservedProblem<F>,
  sinceMs: number | undefined,
): Promise<boolean> {
  const { cluster, namespace } = ownerOf(subject);
  const known = await deps.store.getObservation(cluster, namespace);
  return known !== undefined && known.problem !== observed.hash && publishObserved(deps, subject, observed, sinceMs);
}

/**
 * Stores the problem that a subject would have, under a separate place, and has it solved. The subject gets a
 * pass once the solution is there.
 */
export async function publishPreview<F extends ProblemFamily>(
  deps: PublishDeps<F>,
  subject: Subject,
  place: string,
  observed: ObservedProblem<F>,
): Promise<void> {
  const isNews = await publishObserved({ ...deps, onChange: undefined }, subject, observed, undefined, place);
  if (isNews) await deps.apply.add({ v: 1, ...subject });
}

/** Publishes the problem. Returns true if it is new and its solution was there before it. */
async function publishObserved<F extends ProblemFamily>(
  { rules, store, resolve, solveDeadlineMs, onChange }: PublishDeps<F>,
  subject: Subject,
  { hash, problem, records }: ObservedProblem<F>,
  sinceMs: number | undefined,
  place?: string,
): Promise<boolean> {
  const tenant = ownerOf(subject);
  const owner = place === undefined ? tenant : { ...tenant, namespace: place };
  if (await store.isPublished({ subject, owner, problem: hash, records: [...records.keys()] })) return false;
  await Promise.all([store.putProblem(problem, records), store.waitFor(hash, subject)]);
  const [solution, isChange] = await Promise.all([
    store.getSolution(hash),
    store.putObservation(owner.cluster, owner.namespace, { problem: hash }),
  ]);
  if (isChange) onChange?.({ change: changeOf(owner, hash), problem: hash, subject, owner, sinceMs });
  if (solution !== undefined && !rules.isSolvedAnew(solution, solveDeadlineMs)) return true;
  await resolve.add({ v: 1, problem: hash, ...rules.mark, owner: tenant });
  return false;
}

/** A ClusterExtension or ClusterObjectSet has the place of the namespace. */
function ownerOf(subject: Subject): Owner {
  const { cluster } = subject;
  if ('namespace' in subject) return { cluster, namespace: subject.namespace };
  return { cluster, namespace: 'extension' in subject ? subject.extension : subject.objectSet };
}
