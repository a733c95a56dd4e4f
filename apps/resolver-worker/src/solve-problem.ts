import type { PackageRecord, ResolutionProblem } from '#core/resolution/resolution-problem';
import type { JobQueue } from '#platform/queue/job-queue.port';
import type { ApplyJob } from '#platform/queue/jobs';
import type { ProblemStore } from '#platform/store/problem-store.port';
import type { RecordCache } from '#platform/store/record-cache';
import type { Log } from '#platform/telemetry/log.port';
import type { SolverPool } from './solver-pool.js';

/** Solves one stored problem and wakes whoever waits for it. Safe to run twice: equal problems have equal solutions. */
export class SolveProblem {
  constructor(
    private readonly store: ProblemStore,
    private readonly records: RecordCache,
    private readonly pool: SolverPool,
    private readonly apply: JobQueue<ApplyJob>,
    private readonly log: Log,
    private readonly onSolved: (result: string, seconds: number) => void,
  ) {}

  async run(hash: string): Promise<void> {
    if ((await this.store.getSolution(hash)) === undefined && !(await this.#solve(hash))) return;
    for (const { cluster, namespace } of await this.store.takeWaiters(hash)) {
      await this.apply.add({ v: 1, cluster, namespace });
    }
  }

  /** False where the problem is not held any more: whoever still wants it stores and enqueues it again. */
  async #solve(hash: string): Promise<boolean> {
    const problem = await this.store.getProblem(hash);
    const records = problem && (await this.#recordsOf(problem));
    if (problem === undefined || records === undefined) {
      this.log.info({ problem: hash }, 'problem is not in the store any more; the poller will enqueue it again');
      return false;
    }
    const start = performance.now();
    const resolution = await this.pool.solve({ problem, records });
    const seconds = (performance.now() - start) / 1_000;
    this.onSolved(resolution.result, seconds);
    const { namespace } = problem.wishes;
    this.log.info({ problem: hash, namespace, result: resolution.result, seconds }, 'problem solved');
    await this.store.putSolution(hash, resolution);
    return true;
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
