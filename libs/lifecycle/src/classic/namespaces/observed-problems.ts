import type { PackageRecord } from '#core/catalog/model/package-record';
import type { Resolution, ResolutionProblem } from '#core/classic/resolution/problem/resolution-problem';
import { CachedValues } from '#platform/store/cached-values';
import type { ProblemStore } from '#platform/store/problem-store.port';
import { RecordCache } from '#platform/store/record-cache';
import type { PassReader } from '../../engine/passes/pass-reader.js';
import type { NamespaceStageInput } from './namespace-stage.js';

/** Bytes of records as JSON, kept for the namespaces of a fleet that are upgraded at the same time. */
const RECORD_BYTES = 32 * 2 ** 20;
const PROBLEM_BYTES = 8 * 2 ** 20;

export type HashedProblem = Readonly<{ hash: string; problem: ResolutionProblem }>;

/** Reads of a pass: the observation, the round of that read, and the solution that it met last. */
type ReadInPass = {
  round: NamespaceStageInput['read'];
  problem: Promise<HashedProblem | undefined>;
  solution?: Readonly<{ hash: string; found: Resolution }>;
};

type InRound = Pick<NamespaceStageInput, 'client' | 'read' | 'reader'>;

/**
 * Observations of the poller, for all stages of a pass. The observation is read once in a pass, and again in
 * each round that it does not fit. A problem or package record is read once for all passes that meet it.
 */
export class ObservedProblems {
  readonly #problems: CachedValues<ResolutionProblem>;
  readonly #records: RecordCache;
  readonly #passes = new WeakMap<PassReader, ReadInPass>();

  constructor(
    private readonly store: Pick<ProblemStore, 'getObservation' | 'getProblem' | 'getRecord' | 'getSolution'>,
  ) {
    this.#problems = new CachedValues((hash) => store.getProblem(hash), PROBLEM_BYTES);
    this.#records = new RecordCache(store, RECORD_BYTES);
  }

  /**
   * Returns the problem of the namespace as it was observed last when the pass first asked. Undefined if it
   * is not known, or not held any more. A newer observation brings a pass of its own.
   */
  of(input: InRound): Promise<HashedProblem | undefined> {
    const known = this.#passes.get(input.reader);
    return known === undefined ? this.ofRound(input) : known.problem.then((one) => one ?? this.ofRound(input));
  }

  /** Like {@link of}, but as it was observed last when this round first asked. */
  ofRound({ client, read, reader }: InRound): Promise<HashedProblem | undefined> {
    const known = this.#passes.get(reader);
    if (known?.round === read) return known.problem;
    const problem = this.find(client.cluster, read.namespace);
    this.#passes.set(reader, { round: read, problem });
    return problem;
  }

  /** Returns the solution of the problem, read once in a pass. Undefined if there is none yet. */
  async solution({ reader }: Pick<InRound, 'reader'>, hash: string): Promise<Resolution | undefined> {
    const pass = this.#passes.get(reader);
    if (pass?.solution?.hash === hash) return pass.solution.found;
    const found = await this.store.getSolution(hash);
    if (pass !== undefined && found !== undefined) pass.solution = { hash, found };
    return found;
  }

  /** Forgets a solution that may not be acted on: the next round of the pass reads it again. */
  forgetSolution({ reader }: Pick<InRound, 'reader'>): void {
    const pass = this.#passes.get(reader);
    if (pass !== undefined) delete pass.solution;
  }

  /** Like {@link of}, but reads again. */
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
