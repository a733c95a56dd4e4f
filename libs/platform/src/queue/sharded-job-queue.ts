import { JobSlots } from '../fairness/job-slots.js';
import {
  type AddOptions,
  type JobCounts,
  type JobHandler,
  JobQueue,
  type ProcessOptions,
  type ShownJob,
} from './job-queue.port.js';
import { firstOfEach } from './shown-jobs.js';

type ShardedJobQueueOptions<J> = Readonly<{
  name: string;
  shards: number;
  shardOf: (job: J) => number;
  /**
   * Returns a queue object of the shard. Jobs added by one object are taken by another one of the same shard.
   */
  queueOf: (shard: number) => JobQueue<J>;
}>;

/** Time in which active jobs must end in a shard that moves to another process. */
const MOVED_WITHIN_MS = 10_000;

/**
 * One queue in as many parts as there are shards of clusters. A process adds jobs to every part, and takes
 * those of its own shards (decision 0158).
 */
export class ShardedJobQueue<J> extends JobQueue<J> {
  readonly name: string;
  readonly #adding = new Map<number, JobQueue<J>>();
  readonly #taking = new Map<number, JobQueue<J>>();
  readonly #closing = new Set<Promise<void>>();
  #closed = false;

  constructor(private readonly options: ShardedJobQueueOptions<J>) {
    super();
    this.name = options.name;
  }

  add(job: J, options?: AddOptions): Promise<void> {
    return this.#queueOf(this.options.shardOf(job)).add(job, options);
  }

  forgetDelayed(job: J): Promise<void> {
    return this.#queueOf(this.options.shardOf(job)).forgetDelayed(job);
  }

  /** Takes the jobs of the shards in `shards`, or of all shards if it is absent. */
  async process(handler: JobHandler<J>, { concurrency, shards }: ProcessOptions): Promise<void> {
    const slots = new JobSlots(concurrency);
    const inTurn: JobHandler<J> = (job, context) => slots.run(context.signal, () => handler(job, context));
    const gained = (shard: number) => this.#take(shard, inTurn, concurrency);
    if (shards === undefined) await Promise.all(this.#all().map(gained));
    else
      shards.follow({
        gained: (shard) => void gained(shard),
        lost: (shard, how) => this.#leave(shard, how === 'moved' ? MOVED_WITHIN_MS : 0),
      });
  }

  async counts(): Promise<JobCounts> {
    const counts = await Promise.all(this.#all().map((shard) => this.#queueOf(shard).counts()));
    return counts.reduce((sum, one) => ({
      waiting: sum.waiting + one.waiting,
      active: sum.active + one.active,
      delayed: sum.delayed + one.delayed,
      completed: sum.completed + one.completed,
      failed: sum.failed + one.failed,
      'set-aside': sum['set-aside'] + one['set-aside'],
    }));
  }

  unreadable(): number {
    return [...this.#taking.values()].reduce((sum, queue) => sum + queue.unreadable(), 0);
  }

  async sample(most: number): Promise<readonly ShownJob[]> {
    const jobs = await Promise.all(this.#all().map((shard) => this.#queueOf(shard).sample(most)));
    return firstOfEach(jobs.flat(), most);
  }

  async close({ deadlineMs = MOVED_WITHIN_MS }: Readonly<{ deadlineMs?: number }> = {}): Promise<void> {
    this.#closed = true;
    await Promise.all([...this.#taking.keys()].map((shard) => this.#leave(shard, deadlineMs)));
    await Promise.all([...this.#closing, ...[...this.#adding.values()].map((queue) => queue.close({ deadlineMs }))]);
  }

  #all(): readonly number[] {
    return Array.from({ length: this.options.shards }, (_, shard) => shard);
  }

  /**
   * Returns a queue object of the shard, preferably the one that takes its jobs in this process. That object
   * knows when the jobs it delays are due.
   */
  #queueOf(shard: number): JobQueue<J> {
    const known = this.#taking.get(shard) ?? this.#adding.get(shard);
    if (known !== undefined) return known;
    const queue = this.options.queueOf(shard);
    this.#adding.set(shard, queue);
    return queue;
  }

  async #take(shard: number, handler: JobHandler<J>, concurrency: number): Promise<void> {
    if (this.#closed || this.#taking.has(shard)) return;
    const queue = this.options.queueOf(shard);
    this.#taking.set(shard, queue);
    await queue.process(handler, { concurrency });
  }

  /** Resolves once no job of the shard is active here. */
  async #leave(shard: number, deadlineMs: number): Promise<void> {
    const queue = this.#taking.get(shard);
    if (queue === undefined) return;
    this.#taking.delete(shard);
    const closing = queue.close({ deadlineMs });
    this.#closing.add(closing);
    await closing.finally(() => this.#closing.delete(closing));
  }
}
