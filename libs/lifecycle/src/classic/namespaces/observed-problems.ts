import type { PackageRecord } from '#core/catalog/model/package-record';
import type { ResolutionProblem } from '#core/classic/resolution/resolution-problem';
import { CachedValues } from '#platform/store/cached-values';
import type { ProblemStore } from '#platform/store/problem-store.port';
import { RecordCache } from '#platform/store/record-cache';
import type { NamespaceStageInput } from './stage.js';

/** As JSON, kept for the namespaces of a fleet that are upgraded at the same time. */
const RECORD_BYTES = 32 * 2 ** 20;
const PROBLEM_BYTES = 8 * 2 ** 20;

export type HashedProblem = Readonly<{ hash: string; problem: ResolutionProblem }>;

/**
 * What the poller observed, for all stages of a pass: the observation is read once in a round, and a problem
 * or package record once for all passes that meet it.
 */
export class ObservedProblems {
  readonly #problems: CachedValues<ResolutionProblem>;
  readonly #records: RecordCache;
  /** By what was read of the namespace in a round. */
  readonly #rounds = new WeakMap<NamespaceStageInput['read'], Promise<HashedProblem | undefined>>();

  constructor(private readonly store: Pick<ProblemStore, 'getObservation' | 'getProblem' | 'getRecord'>) {
    this.#problems = new CachedValues((hash) => store.getProblem(hash), PROBLEM_BYTES);
    this.#records = new RecordCache(store, RECORD_BYTES);
  }

  /**
   * The problem of the namespace as it was last observed; undefined where it is not
   * known, or not held any more.
   */
  of({ client, read }: Pick<NamespaceStageInput, 'client' | 'read'>): Promise<HashedProblem | undefined> {
    const problem = this.#rounds.get(read) ?? this.find(client.cluster, read.namespace);
    this.#rounds.set(read, problem);
    return problem;
  }

  /** As {@link of}, read anew. */
  async find(cluster: string, namespace: string): Promise<HashedProblem | undefined> {
    const observation = await this.store.getObservation(cluster, namespace);
    if (observation === undefined) return undefined;
    const { problem: hash } = observation;
    const problem = await this.#problems.get(hash);
    return problem && { hash, problem };
  }

  record(hash: string): Promise<PackageRecord | undefined> {
    return this.#records.get(hash);
  }
}
