import type { PackageRecord } from '#core/catalog/model/package-record';
import { deservesMoreTime } from '#core/classic/resolution/given-up';
import type { ResolutionProblem } from '#core/classic/resolution/resolution-problem';
import type { Owner } from '#core/kernel/fairness/owner';
import { Demand } from '#platform/fairness/demand';
import type { JobQueue } from '#platform/queue/job-queue.port';
import type { SolvedJob } from '#platform/queue/jobs';
import type { ProblemStore } from '#platform/store/problem-store.port';
import type { RecordCache } from '#platform/store/record-cache';
import type { Log } from '#platform/telemetry/log.port';
import type { SolverPool } from './solver-pool.js';

/**
 * Solves one stored problem and has the applier enqueue what waits for the solution. Safe to run twice: equal
 * problems have equal solutions.
 */
export class SolveProblem {
  constructor(
    private readonly store: ProblemStore,
    private readonly records: RecordCache,
    private readonly pool: Pick<SolverPool, 'solve' | 'deadlineMs'>,
    private readonly solved: JobQueue<SolvedJob>,
    private readonly log: Log,
    private readonly onSolved: (result: string, seconds: number) => void,
  ) {}

  /** `owner`: for which the problem is solved; it only decides about the turn. */
  async run(hash: string, owner?: Owner): Promise<void> {
    const known = await this.store.getSolution(hash);
    if (known === undefined || deservesMoreTime(known, this.pool.deadlineMs)) await this.#solve(hash, owner);
    await this.solved.add({ v: 1, problem: hash });
  }

  /**
   * No solution is stored where the problem is gone from the store: the applier then has its
   * namespaces observed anew.
   */
  async #solve(hash: string, owner?: Owner): Promise<void> {
    const problem = await this.store.getProblem(hash);
    const records = problem && (await this.#recordsOf(problem));
    if (problem === undefined || records === undefined) {
      this.log.info({ problem: hash }, 'problem is not in the store any more; the poller will enqueue it again');
      return;
    }
    const start = performance.now();
    const { namespace } = problem.wishes;
    const demand = Demand.of(owner ?? { cluster: '', namespace });
    const resolution = await this.pool.solve({ problem, records }, demand);
    const seconds = (performance.now() - start) / 1_000;
    this.onSolved(resolution.result, seconds);
    this.log.info({ problem: hash, namespace, result: resolution.result, seconds }, 'problem solved');
    await this.store.putSolution(hash, resolution);
  }

  async #recordsOf(problem: ResolutionProblem): Promise<Map<string, PackageRecord> | undefined> {
    const hashes = new Set(problem.catalogs.flatMap(({ packages }) => packages.map(({ record }) => record)));
    const records = new Map<string, PackageRecord>();
    for (const hash of hashes) {
      const record = await this.records.get(hash);
      if (record === undefined) return undefined;
      records.set(hash, record);
    }
    return records;
  }
}
