import type { ShardSource } from '../ownership/shard-follower.port.js';
import type { JobContext, JobQueue } from './job-queue.port.js';

/** Takes the jobs of one queue. The service starts and closes it, in its order. */
export abstract class QueueProcessor<J> {
  protected constructor(
    private readonly queue: JobQueue<J>,
    private readonly concurrency: number,
    /** Shards to take jobs from, if the queue is sharded. */
    private readonly shards?: ShardSource | undefined,
  ) {}

  protected abstract run(job: J, context: JobContext): Promise<void>;

  start(): Promise<void> {
    const { concurrency, shards } = this;
    return this.queue.process((job, context) => this.run(job, context), { concurrency, shards });
  }

  /** Stops taking jobs, and waits for those that run, no longer than the deadline. */
  close(deadlineMs: number): Promise<void> {
    return this.queue.close({ deadlineMs });
  }
}
