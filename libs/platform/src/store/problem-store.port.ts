import type { PackageRecord } from '#core/catalog/model/package-record';
import type { Resolution, ResolutionProblem } from '#core/classic/resolution/problem/resolution-problem';
import { FlotillaError, type Retry } from '#core/kernel/errors/flotilla.error';
import type { Owner } from '#core/kernel/fairness/owner';
import type { Subject } from '#core/kernel/subject/subject';
import type { ExtensionPackage, ExtensionProblem, ExtensionSolution } from '#core/v1/extension/extension-problem';
import type { SeenVersions } from '../kube/cache/seen-versions.js';

/** The last observation of a namespace, or of a ClusterExtension, by the poller: the hash of its problem. */
export type Observation = Readonly<{ problem: string }>;

/**
 * The problem of a subject and the hashes of its records. The subject's observation is in the place of
 * `owner`.
 */
export type PublishedProblem = Readonly<{
  subject: Subject;
  owner: Owner;
  problem: string;
  records: readonly string[];
}>;

/** Types of the problems of one family. */
export type ProblemFamily = Readonly<{ problem: object; record: Readonly<{ name: string }>; solution: object }>;

/** OLM Classic: one problem a namespace. */
export type NamespaceProblems = Readonly<{
  problem: ResolutionProblem;
  record: PackageRecord;
  solution: Resolution;
}>;

/**
 * OLM v1: one problem a ClusterExtension. Observations have its name in place of the namespace of OLM
 * Classic.
 */
export type ExtensionProblems = Readonly<{
  problem: ExtensionProblem;
  record: ExtensionPackage;
  solution: ExtensionSolution;
}>;

/**
 * Problems, their package records and their solutions by hash, and the problem of each namespace. All of it
 * can be rebuilt from the clusters, and expires when it is no longer read. No namespace waits in vain,
 * whatever the order of events, if every service keeps to this protocol. The poller first puts the namespace
 * among the waiters, then reads the solution, and enqueues the problem if there is none. The resolver first
 * puts the solution, then reports the problem as solved. The applier takes the waiters and enqueues each. If
 * an applier dies in between, another gets the same waiters again.
 */
export abstract class ProblemStore<F extends ProblemFamily = NamespaceProblems> {
  /** Stores the problem and its records that are not there yet. Returns the problem's hash. */
  abstract putProblem(problem: F['problem'], records: ReadonlyMap<string, F['record']>): Promise<string>;
  abstract getProblem(hash: string): Promise<F['problem'] | undefined>;
  abstract getRecord(hash: string): Promise<F['record'] | undefined>;
  abstract putSolution(hash: string, solution: F['solution']): Promise<void>;
  abstract getSolution(hash: string): Promise<F['solution'] | undefined>;
  /** Drops an unusable solution. The poller requests another one when it next observes the problem. */
  abstract dropSolution(hash: string): Promise<void>;
  /** Stores the observation. Returns true if another problem was observed before, or none. */
  abstract putObservation(cluster: string, namespace: string, observation: Observation): Promise<boolean>;
  abstract getObservation(cluster: string, namespace: string): Promise<Observation | undefined>;
  /**
   * True if everything that this process published of a subject a short while ago is still there. This is the
   * observation as written, with no demand for a newer one, the problem, its records and a solution. The
   * subject is then among the waiters again. Returns false also if that is not known: publish everything
   * again.
   */
  abstract isPublished(published: PublishedProblem): Promise<boolean>;
  /**
   * Stores, per kind, the newest resourceVersion the poller has seen for a subject (`subjectName`). Call
   * before enqueuing the apply job: the applier waits for its cache to reach it.
   */
  abstract putSeen(cluster: string, subject: string, seen: SeenVersions): Promise<void>;
  /** The stored versions of these kinds. */
  abstract getSeen(cluster: string, subject: string, kinds: readonly string[]): Promise<SeenVersions>;
  /** The subject gets a job of the applier once the problem is solved. */
  abstract waitFor(hash: string, waiter: Subject): Promise<void>;
  /**
   * The waiters, in a fixed order. A later call gives the same ones again for some minutes:
   * waking twice does no harm.
   */
  abstract takeWaiters(hash: string): Promise<readonly Subject[]>;
}

/**
 * A problem, record or solution that is larger than anything real: refused, so that one
 * tenant cannot fill the store.
 */
export class ValueTooLarge extends FlotillaError {
  readonly code = 'ValueTooLarge';
  readonly retry: Retry = 'when-input-changes';
  constructor(
    readonly what: string,
    readonly bytes: number,
    readonly limit: number,
  ) {
    super(`${what} has ${bytes} bytes, more than the ${limit} that are allowed`);
  }
}
