import type { PackageRecord } from '#core/catalog/model/package-record';
import type { Resolution, ResolutionProblem } from '#core/classic/resolution/problem/resolution-problem';
import { FlotillaError, type Retry } from '#core/kernel/errors/flotilla.error';
import type { Owner } from '#core/kernel/fairness/owner';
import type { Subject } from '#core/kernel/subject/subject';
import type { ExtensionPackage, ExtensionProblem, ExtensionSolution } from '#core/v1/extension/extension-problem';
import type { SeenVersions } from '../kube/cache/seen-versions.js';

/** What the poller last saw in a namespace, or of a ClusterExtension: the hash of its problem. */
export type Observation = Readonly<{ problem: string }>;

/** The problem of a subject, whose observation is in the place of `owner`, and the hashes of its records. */
export type PublishedProblem = Readonly<{
  subject: Subject;
  owner: Owner;
  problem: string;
  records: readonly string[];
}>;

/** What problems of one family are made of. */
export type ProblemFamily = Readonly<{ problem: object; record: Readonly<{ name: string }>; solution: object }>;

/** OLM Classic: one problem a namespace. */
export type NamespaceProblems = Readonly<{
  problem: ResolutionProblem;
  record: PackageRecord;
  solution: Resolution;
}>;

/**
 * OLM v1: one problem a ClusterExtension. Observations have its name where those of OLM
 * Classic have a namespace.
 */
export type ExtensionProblems = Readonly<{
  problem: ExtensionProblem;
  record: ExtensionPackage;
  solution: ExtensionSolution;
}>;

/**
 * Problems, their package records and their solutions by hash, and which namespace has which problem. All of
 * it can be made anew from the clusters, and expires when it is no longer read.
 *
 * No namespace waits in vain, in whatever order things happen, when all keep to this: the poller first puts
 * the namespace among the waiters, then reads the solution, and enqueues the problem where there is none. The
 * resolver first puts the solution, then reports the problem as solved; the applier takes the waiters and
 * enqueues each. If an applier dies in between, another gets the same waiters again.
 */
export abstract class ProblemStore<F extends ProblemFamily = NamespaceProblems> {
  /** Stores the problem and those of its records that are not there yet. Answers the problem's hash. */
  abstract putProblem(problem: F['problem'], records: ReadonlyMap<string, F['record']>): Promise<string>;
  abstract getProblem(hash: string): Promise<F['problem'] | undefined>;
  abstract getRecord(hash: string): Promise<F['record'] | undefined>;
  abstract putSolution(hash: string, solution: F['solution']): Promise<void>;
  abstract getSolution(hash: string): Promise<F['solution'] | undefined>;
  /** For a solution that cannot be used: the poller has the problem solved anew when it next observes it. */
  abstract dropSolution(hash: string): Promise<void>;
  /** Answers whether another problem was observed before, or none. */
  abstract putObservation(cluster: string, namespace: string, observation: Observation): Promise<boolean>;
  abstract getObservation(cluster: string, namespace: string): Promise<Observation | undefined>;
  /**
   * Whether all that this process published of a subject a short while ago is still there: the observation as
   * it was written, with no demand for a newer one, the problem, its records and a solution. The subject is
   * then among the waiters again. False, too, where that is not known: all of it is to be put there anew.
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
