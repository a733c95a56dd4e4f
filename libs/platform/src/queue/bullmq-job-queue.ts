import { randomUUID } from 'node:crypto';
import { createRedisBackend, DelayedError, Job, Queue, UnrecoverableError, Worker } from 'bullmq';
import type { Redis } from 'ioredis';
import { canonicalJson } from '#core/kernel/canonical/canonical-json';
import { readPayload } from '#core/kernel/payload/read-payload';
import { isLostConnection } from '../redis/redis-trouble.js';
import { type Log, silentLog } from '../telemetry/log.port.js';
import { DuePoll } from './due-poll.js';
import { type AttemptHost, attemptJob, describeError, RetryNotPlanned } from './job-attempt.js';
import {
  type AddOptions,
  type FinishedJob,
  type JobContract,
  type JobCounts,
  type JobHandler,
  JobQueue,
  type ProcessOptions,
  type ShownJob,
} from './job-queue.port.js';
import { JobRanks } from './job-ranks.js';
import { OccupiedKeys } from './occupied-keys.js';
import { RedisDelayedJobs } from './redis-delayed-jobs.js';
import { type BackoffLimits, defaultBackoff } from './retry-delay.js';
import { SetAsideJobs } from './set-aside-jobs.js';
import { firstOfEach } from './shown-jobs.js';
import { WaitingJobs } from './waiting-jobs.js';

export type BullmqJobQueueOptions = Readonly<{
  redis: Redis;
  log?: Log;
  /** Prefix of all keys in Redis. Default `flotilla`. */
  prefix?: string;
  /** A killed worker's job is free this long after its last sign of life. Default 10 s. */
  lockDurationMs?: number;
  /** Interval of the search for free jobs. A job found active twice without its lock is free. Default 2 s. */
  stalledIntervalMs?: number;
  backoff?: BackoffLimits;
  /** Shared by the queues of a process. Default: one for this queue alone. */
  duePoll?: DuePoll;
  /** Shared by the queues of a process. Default: one for this queue alone. */
  occupied?: OccupiedKeys;
  /** How often jobs that a service of an older release set aside are looked for. Default 5 s. */
  setAsideLookMs?: number;
  onFinished?: (job: FinishedJob) => void;
  /** Called with every error of the queue's own connections. */
  onError?: (error: unknown) => void;
}>;

/**
 * Most times that a job is taken over. A job whose workers are killed over and over is kept: the job may not
 * be the cause.
 */
const MAX_STALLED_COUNT = 1_000_000;
const FAILURES_KEPT_SECONDS = 86_400;
const GRACE_AFTER_ABORT_MS = 1_000;
/** Completed jobs are counted and not kept: to keep them takes a tenth of all commands. */
const KEPT = { removeOnComplete: true, removeOnFail: { age: 7 * 86_400, count: 1_000 } };
/** BullMQ notes each step of each job in a stream. The hub does not read it. */
const EVENTS_KEPT = 100;
/** An idle worker is woken by the next job; it asks by itself so often in case a wake-up was lost. */
const ASKED_ANYWAY_SECONDS = 10;

/** The queue on Redis. */
export class BullmqJobQueue<J> extends JobQueue<J> {
  readonly name: string;
  /** Made on first use, because making it writes: a service has no rights on queues that it does not use. */
  #made: Queue | undefined;
  readonly #delayedJobs: RedisDelayedJobs;
  readonly #setAside: SetAsideJobs<J>;
  readonly #host: AttemptHost<J>;
  readonly #ranks: JobRanks<J>;
  readonly #waitingJobs: WaitingJobs;
  readonly #log: Log;
  /** Keys that fail now, with the time of their last failure. */
  readonly #failing: string;
  /** Jobs of one key after each other within this process, also when Redis was emptied while one ran. */
  readonly #running = new Map<string, Promise<void>>();
  #worker: Worker | undefined;
  #closing = false;

  constructor(
    private readonly contract: JobContract<J>,
    private readonly options: BullmqJobQueueOptions,
  ) {
    super();
    const { redis, prefix = 'flotilla', log = silentLog, duePoll = new DuePoll(redis) } = options;
    this.name = contract.name;
    this.#ranks = new JobRanks(contract, Date.now);
    this.#waitingJobs = new WaitingJobs(redis, (key) => `${prefix}:queue:${contract.name}:${key}`);
    this.#failing = `${prefix}:failing:${contract.name}`;
    this.#log = log;
    this.#delayedJobs = new RedisDelayedJobs(redis, `${prefix}:alarm:${contract.name}`, duePoll, (error) =>
      this.#report(error),
    );
    this.#setAside = new SetAsideJobs({
      redis,
      key: `${prefix}:alarm:${contract.name}:aside`,
      queue: contract.name,
      form: contract,
      poll: duePoll,
      log,
      onError: (error) => this.#report(error),
      lookMs: options.setAsideLookMs,
    });
    const failures = `${prefix}:failures:${contract.name}`;
    const failing = this.#failing;
    this.#host = {
      contract,
      log,
      backoff: options.backoff ?? defaultBackoff,
      random: Math.random,
      now: () => new Date(),
      onFinished: options.onFinished ?? (() => undefined),
      countFailure: async (key) => {
        const count = await redis.hincrby(failures, key, 1);
        await redis.expire(failures, FAILURES_KEPT_SECONDS);
        await redis.zadd(failing, Date.now(), key);
        await redis.expire(failing, FAILURES_KEPT_SECONDS);
        return count;
      },
      forgetFailures: async (key) => {
        await redis.hdel(failures, key);
      },
      noteSuccess: async (key) => {
        await Promise.all([redis.hdel(failures, key), redis.zrem(failing, key)]);
      },
      again: (job, delayMs) => this.#delayedJobs.set(canonicalJson(job), delayMs),
      setAside: (data, version) => this.#setAside.put(data, version),
    };
  }

  get #queue(): Queue {
    if (this.#made !== undefined) return this.#made;
    const { redis, prefix = 'flotilla' } = this.options;
    this.#made = new Queue(this.contract.name, {
      connection: redis,
      prefix: `${prefix}:queue`,
      streams: { events: { maxLen: EVENTS_KEPT } },
    });
    this.#made.on('error', (error) => this.#report(error));
    return this.#made;
  }

  async add(job: J, { delayMs = 0 }: AddOptions = {}): Promise<void> {
    const data = this.contract.schema.parse(job);
    if (delayMs > 0) return this.#delayedJobs.set(canonicalJson(data), delayMs);
    const jobId = randomUUID();
    const key = this.contract.keyOf(data);
    const { priority, takeBack } = this.#ranks.rank(data);
    const known = await this.#waitingJobs.find(key);
    if (known !== undefined) {
      takeBack();
      return known.place === 'waits' ? this.#raise(known.id, priority) : undefined;
    }
    const added = await this.#queue.add(this.name, data, {
      ...KEPT,
      jobId,
      priority,
      // Retries go through delayed jobs of our own. A retry of BullMQ holds back jobs added while the job
      // ran, and would be lost to a delayed job of its key (decision 0152).
      attempts: 1,
      deduplication: { id: key, keepLastIfActive: true },
    });
    if (added.id === undefined || added.id === jobId) return this.#ranks.note(jobId, priority);
    takeBack();
    this.#waitingJobs.noteDuplicate(key);
    await this.#raise(added.id, priority);
  }

  forgetDelayed(job: J): Promise<void> {
    return this.#delayedJobs.forget(canonicalJson(this.contract.schema.parse(job)));
  }

  /** A more urgent duplicate makes the waiting job as urgent as itself. */
  async #raise(jobId: string, priority: number): Promise<void> {
    const held = this.#ranks.noted(jobId);
    if (held !== undefined && held <= priority) return;
    const waiting = await Job.fromId(this.#queue, jobId);
    if (waiting === undefined) return;
    this.#ranks.note(jobId, Math.min(waiting.priority, priority));
    if (waiting.priority <= priority) return;
    await waiting.changePriority({ priority }).catch((error: unknown) => {
      this.#log.debug(
        { queue: this.name, error: describeError(error) },
        'did not change the priority of a finished job',
      );
    });
  }

  async process(handler: JobHandler<J>, { concurrency }: ProcessOptions): Promise<void> {
    const { redis, prefix = 'flotilla', lockDurationMs = 10_000, stalledIntervalMs = 2_000 } = this.options;
    const worker = new Worker(
      this.name,
      // Three parameters by name: the queue makes a signal only for a function that has them.
      (job, _token, signal) => this.#attempt(job, handler, signal ?? new AbortController().signal),
      {
        connection: redis,
        prefix: `${prefix}:queue`,
        concurrency,
        lockDuration: lockDurationMs,
        stalledInterval: stalledIntervalMs,
        maxStalledCount: MAX_STALLED_COUNT,
        drainDelay: ASKED_ANYWAY_SECONDS,
        runRetryDelay: 1_000,
        metrics: { maxDataPoints: 1 },
      },
      backendThatAsksFirst(this.options.occupied ?? new OccupiedKeys(redis)),
    );
    this.#worker = worker;
    worker.on('error', (error) => this.#report(error));
    worker.on('lockRenewalFailed', (ids) => {
      for (const id of ids) worker.cancelJob(id, 'the lock on the job was lost');
    });
    this.#delayedJobs.start((member) => this.#ring(member));
    this.#setAside.start((job) => this.add(job));
    // Without waiting: a service is up, and says so over HTTP, before Redis answers.
    worker.waitUntilReady().catch((error: unknown) => this.#report(error));
  }

  async #attempt(job: Job, handler: JobHandler<J>, signal: AbortSignal): Promise<void> {
    // Fetched before the pause took hold.
    if (this.#closing) return this.#delayedJobs.set(canonicalJson(job.data), 0).catch(leaveInQueue);
    const key = job.deduplicationId ?? '';
    const before = this.#running.get(key);
    const run = (async () => {
      await before?.catch(() => undefined);
      await attemptJob(this.#host, { data: job.data, addedMs: job.timestamp }, handler, signal);
    })();
    this.#running.set(key, run);
    try {
      await run;
    } catch (error) {
      if (error instanceof RetryNotPlanned) this.#report(error);
      throw toQueueError(error);
    } finally {
      if (this.#running.get(key) === run) this.#running.delete(key);
    }
  }

  async #ring(member: string): Promise<void> {
    const data = parseJson(member);
    const job = readPayload(data, this.contract);
    if (job.kind === 'read') return this.add(job.value);
    if (job.kind === 'invalid' || !(await this.#setAside.put(data, job.version)))
      this.#log.warn({ queue: this.name }, 'dropped a delayed job that does not belong to this queue');
  }

  async counts(): Promise<JobCounts> {
    const states = ['wait', 'prioritized', 'active', 'delayed'] as const;
    const since = Date.now() - FAILURES_KEPT_SECONDS * 1_000;
    const [counts, finished, delayedJobs, failing, aside] = await Promise.all([
      this.#queue.getJobCounts(...states),
      this.#queue.getMetrics('completed', 0, 0),
      this.#delayedJobs.count(),
      this.options.redis.zcount(this.#failing, since, '+inf'),
      this.#setAside.count(),
    ]);
    const of = (state: string) => counts[state] ?? 0;
    return {
      waiting: of('wait') + of('prioritized'),
      active: of('active'),
      delayed: of('delayed') + delayedJobs,
      completed: finished.meta.count,
      failed: failing,
      'set-aside': aside,
    };
  }

  unreadable(): number {
    return this.#setAside.unreadable;
  }

  async sample(most: number): Promise<readonly ShownJob[]> {
    const last = most - 1;
    const [active, waiting, delayed, failed, failing] = await Promise.all([
      this.#queue.getJobs(['active'], 0, last, true),
      this.#queue.getJobs(['wait', 'prioritized'], 0, last, true),
      this.#delayedJobs.first(most),
      this.#queue.getJobs(['failed'], 0, last, true),
      this.options.redis.zrevrange(this.#failing, '0', String(last), 'WITHSCORES'),
    ]);
    const keyOf = (data: unknown) => {
      const job = readPayload(data, this.contract);
      if (job.kind === 'newer') return `of a newer release (version ${job.version})`;
      return job.kind === 'read' ? this.contract.keyOf(job.value) : 'not a job of this queue';
    };
    // Jobs that failed are kept when their key has succeeded since.
    const reasons = new Map(failed.map((job) => [keyOf(job.data), job.failedReason]));
    const jobs: readonly ShownJob[] = [
      ...active.map((job) => ({ state: 'active', key: keyOf(job.data), atMs: job.processedOn ?? 0 }) as const),
      ...waiting.map((job) => ({ state: 'waiting', key: keyOf(job.data), atMs: job.timestamp }) as const),
      ...delayed.map(
        ({ member, dueMs }) => ({ state: 'delayed', key: keyOf(parseJson(member)), atMs: dueMs }) as const,
      ),
      ...pairsOf(failing).map(
        ([key, score]) => ({ state: 'failed', key, atMs: Number(score), reason: reasons.get(key) }) as const,
      ),
    ];
    return firstOfEach(jobs, most);
  }

  async close({ deadlineMs = 10_000 }: Readonly<{ deadlineMs?: number }> = {}): Promise<void> {
    this.#closing = true;
    await this.#worker?.pause(true);
    const idle = async () => void (await Promise.allSettled([...this.#running.values()]));
    if (!(await within(deadlineMs, idle()))) {
      this.#worker?.cancelAllJobs('the process is ending');
      await within(GRACE_AFTER_ABORT_MS, idle());
    }
    // Without Redis none of these would end; the caller closes the connection.
    if (!(await within(GRACE_AFTER_ABORT_MS, this.#letGo())))
      this.#log.warn({ queue: this.name }, 'closed without Redis');
  }

  async #letGo(): Promise<void> {
    await Promise.all([this.#delayedJobs.stop(), this.#setAside.stop()]);
    await this.#worker?.close(this.#running.size > 0);
    await this.#made?.close();
  }

  #report(error: unknown): void {
    this.options.onError?.(error);
    // Text alone: the client's error objects carry the arguments of the command, AUTH's password among them.
    // A lost connection is logged once by the connection itself, and not again by each queue at each try.
    this.#log[isLostConnection(error) ? 'debug' : 'warn'](
      { queue: this.name, error: describeError(error) },
      'the queue met an error',
    );
  }
}

/**
 * Searches for the jobs of dead workers only in a queue with an active job. One question for all queues of a
 * process replaces a script for each (decision 0152).
 */
const backendThatAsksFirst =
  (occupied: OccupiedKeys): typeof createRedisBackend =>
  (...of) => {
    const backend = createRedisBackend(...of);
    const moveStalledJobs = backend.moveStalledJobsToWait.bind(backend);
    backend.moveStalledJobsToWait = async () =>
      (await occupied.has(backend.keys['active'] ?? '')) ? moveStalledJobs() : [];
    return backend;
  };

/**
 * The only place that knows both our errors and the queue's: tries after a failure are ours, so each failure
 * is final to it. A job whose next try is not in Redis is left as it is: it is given out again once its lock
 * ends.
 */
const toQueueError = (error: unknown): Error =>
  error instanceof RetryNotPlanned ? new DelayedError(error.message) : new UnrecoverableError(describeError(error));

function leaveInQueue(error: unknown): never {
  throw new DelayedError(describeError(error));
}

/** True if the work ended in time. */
async function within(ms: number, work: Promise<void>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), ms);
  });
  return Promise.race([work.then(() => true), late]).finally(() => clearTimeout(timer));
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Members of a sorted set with their scores, as Redis answers them. */
const pairsOf = (answer: readonly string[]): readonly (readonly [member: string, score: string])[] =>
  answer.flatMap((member, at) => (at % 2 === 0 ? [[member, answer[at + 1] ?? '']] : []));
