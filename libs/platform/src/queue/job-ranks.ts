import { RecentUse } from '#core/kernel/fairness/recent-use';
import type { JobContract } from './job-queue.port.js';

/**
 * The priority of a job that is added. Call `takeBack` if the job turns out to be the same as a waiting one.
 */
export type Rank = Readonly<{ priority: number; takeBack: () => void }>;

const KEPT_PRIORITIES = 10_000;

/** The priorities of the jobs that this process adds to one queue. */
export class JobRanks<J> {
  readonly #use = new RecentUse();
  /** Priorities by the id of a job in Redis, oldest first. */
  readonly #given = new Map<string, number>();

  constructor(
    private readonly contract: JobContract<J>,
    private readonly now: () => number,
  ) {}

  /** Counts the job at once: of many that are added together each has its own rank. */
  rank(job: J): Rank {
    const cluster = this.contract.clusterOf?.(job);
    if (cluster === undefined) return { priority: 0, takeBack: () => undefined };
    const rank = this.#use.rankOfNext(cluster, this.now());
    return { priority: rank, takeBack: () => this.#use.takeBack(cluster, this.now()) };
  }

  /** Notes the priority of the job in the queue, so that it need not be read for each duplicate. */
  note(jobId: string, priority: number): void {
    this.#given.delete(jobId);
    this.#given.set(jobId, priority);
    const [oldest] = this.#given.keys();
    if (this.#given.size > KEPT_PRIORITIES && oldest !== undefined) this.#given.delete(oldest);
  }

  /**
   * Returns the priority of the job. Returns undefined if another process added the job, or this one long
   * ago.
   */
  noted(jobId: string): number | undefined {
    return this.#given.get(jobId);
  }
}
