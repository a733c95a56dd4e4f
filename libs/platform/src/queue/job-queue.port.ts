import type { PayloadForm } from '#core/kernel/payload/read-payload';
import type { ShardSource } from '../ownership/shard-follower.port.js';

/**
 * The contract of a queue's jobs: its name, the form of its jobs (identity only, never state) and the subject
 * of a job.
 */
export type JobContract<J> = PayloadForm<J> &
  Readonly<{
    name: string;
    keyOf: (job: J) => string;
    /**
     * Returns the cluster of the job. The more jobs of a cluster were added lately, the later its next ones
     * are taken.
     */
    clusterOf?: (job: J) => string | undefined;
  }>;

export type AddOptions = Readonly<{
  /** Milliseconds to wait first. */
  delayMs?: number;
}>;

export type JobContext = Readonly<{
  /** Aborted when the process must end, or when another process may have taken the job over: stop writing. */
  signal: AbortSignal;
  /** When the job was added, in milliseconds since 1970. */
  addedMs: number;
}>;

/** Runs one job. Called again after a failure, and possibly twice for one job: must be safe to repeat. */
export type JobHandler<J> = (job: J, context: JobContext) => Promise<void>;

export type ProcessOptions = Readonly<{
  /** Most jobs at once. */
  concurrency: number;
  /** Shards to take jobs from, if the queue is sharded. Default: all. */
  shards?: ShardSource | undefined;
}>;

export type JobCounts = Readonly<{
  waiting: number;
  active: number;
  /** Keys that have a delayed job: jobs added with a delay and jobs that wait for their next try. */
  delayed: number;
  completed: number;
  /** Number of keys whose last try failed. A success, or a day, removes a key. */
  failed: number;
  /** Number of jobs of a newer release. They are set aside until a service of that release takes them. */
  'set-aside': number;
}>;

/**
 * A job as it is shown to people. `atMs`: since when it waits or runs, when it is due, or when its last try
 * failed, in milliseconds since 1970; `reason`: of the failure.
 */
export type ShownJob = Readonly<{
  state: 'active' | 'waiting' | 'delayed' | 'failed';
  key: string;
  atMs: number;
  reason?: string | undefined;
}>;

/**
 * Work by key, at least once, one job of a key at a time.
 *
 * - A job that is added while one of its key waits is the same job; added while one of its key runs, it runs
 *   once after it: the newest request is never lost, and no more than one waits.
 * - Of several delayed jobs of a key the earliest stays; jobs without delay neither wait for it nor remove
 *   it. When it is due, the handler reads the newest state and asks for another if it needs one.
 * - A handler that throws is called again as the error's retry policy says (FlotillaError): after a
 *   growing pause, after the time it names, or not until the job is added again. A job without
 *   delay overtakes the pause.
 * - Jobs of a process that is killed are taken over by another.
 * - A job of an older release is made one of this release when it is read. One of a newer release lies aside
 *   until a service that can read it takes it: no try of it fails.
 * - The queue is not the source of truth: when the store behind it is emptied, the processes that added the
 *   jobs add them again at the next resync. Just after that a job may run twice at once in two processes.
 */
export abstract class JobQueue<J> {
  abstract readonly name: string;
  abstract add(job: J, options?: AddOptions): Promise<void>;
  /** Forgets the delayed job of the key if this process has set one: its work is done. */
  abstract forgetDelayed(job: J): Promise<void>;
  /** Starts taking jobs. Once per queue object. */
  abstract process(handler: JobHandler<J>, options: ProcessOptions): Promise<void>;
  abstract counts(): Promise<JobCounts>;
  /** Returns the number of jobs set aside because this process cannot read them, as of its last poll. */
  abstract unreadable(): number;
  /** Some jobs of each state, no more than `most` of one, those that wait longest or failed last first. */
  abstract sample(most: number): Promise<readonly ShownJob[]>;
  /**
   * Stops taking jobs and waits for those that run. After the deadline their signal is aborted and others
   * take them over.
   */
  abstract close(options?: Readonly<{ deadlineMs?: number }>): Promise<void>;
}

/**
 * `waitedSeconds`: from the time the job was added, or due, or the job of its key that ran before
 * it ended, until it began.
 */
export type FinishedJob = Readonly<{
  queue: string;
  key: string;
  outcome: 'completed' | 'failed';
  waitedSeconds: number;
  seconds: number;
}>;
