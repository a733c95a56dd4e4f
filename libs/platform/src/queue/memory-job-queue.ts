import type { Clock } from '../clock/clock.port.js';
import { SystemClock } from '../clock/system-clock.js';
import { type Log, silentLog } from '../telemetry/log.port.js';
import { type AttemptHost, attemptJob, type QueuedJob } from './job-attempt.js';
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
import { JobRanks, type Rank } from './job-ranks.js';
import { type BackoffLimits, defaultBackoff } from './retry-delay.js';

type Waiting<J> = { readonly job: J; readonly addedMs: number; priority: number; readonly order: number };
type DelayedJob<J> = Readonly<{ job: J; dueMs: number; cancel: () => void }>;
type Running<J> = { readonly stop: AbortController; next: Readonly<{ job: J; priority: number }> | undefined };

const isBefore = (one: Waiting<unknown>, other: Waiting<unknown>): boolean =>
  one.priority < other.priority || (one.priority === other.priority && one.order < other.order);

export type MemoryJobQueueOptions = Readonly<{
  clock?: Clock;
  log?: Log;
  backoff?: BackoffLimits;
  random?: () => number;
  onFinished?: (job: FinishedJob) => void;
}>;

/**
 * The queue within one process: for tests, and for a process with all roles. Forgets everything when it ends.
 */
export class MemoryJobQueue<J> extends JobQueue<J> {
  readonly name: string;
  readonly #waiting = new Map<string, Waiting<J>>();
  readonly #running = new Map<string, Running<J>>();
  readonly #delayedJobs = new Map<string, DelayedJob<J>>();
  readonly #failures = new Map<string, number>();
  readonly #failing = new Set<string>();
  readonly #clock: Clock;
  readonly #host: AttemptHost<J>;
  readonly #ranks: JobRanks<J>;
  #handler: JobHandler<J> | undefined;
  #concurrency = 0;
  #taking = true;
  #order = 0;
  #completed = 0;
  #idle: (() => void)[] = [];

  constructor(
    private readonly contract: JobContract<J>,
    options: MemoryJobQueueOptions = {},
  ) {
    super();
    this.name = contract.name;
    this.#clock = options.clock ?? new SystemClock();
    this.#ranks = new JobRanks(contract, () => this.#clock.now().getTime());
    this.#host = {
      contract,
      log: options.log ?? silentLog,
      backoff: options.backoff ?? defaultBackoff,
      random: options.random ?? Math.random,
      now: () => this.#clock.now(),
      onFinished: options.onFinished ?? (() => undefined),
      countFailure: async (key) => {
        const count = (this.#failures.get(key) ?? 0) + 1;
        this.#failures.set(key, count);
        this.#failing.add(key);
        return count;
      },
      forgetFailures: async (key) => {
        this.#failures.delete(key);
      },
      noteSuccess: async (key) => {
        this.#failures.delete(key);
        this.#failing.delete(key);
      },
      again: (job, delayMs) => this.add(job, { delayMs }),
      // All jobs here were written by this release.
      setAside: async () => false,
    };
  }

  async add(job: J, { delayMs = 0 }: AddOptions = {}): Promise<void> {
    const copy = this.contract.schema.parse(structuredClone(job));
    if (delayMs > 0) this.#setDelayed(copy, delayMs);
    else this.#enqueue(copy, this.#ranks.rank(copy));
  }

  async forgetDelayed(job: J): Promise<void> {
    const key = this.contract.keyOf(job);
    this.#delayedJobs.get(key)?.cancel();
    this.#delayedJobs.delete(key);
  }

  async process(handler: JobHandler<J>, { concurrency }: ProcessOptions): Promise<void> {
    this.#handler = handler;
    this.#concurrency = concurrency;
    this.#pump();
  }

  async counts(): Promise<JobCounts> {
    const next = [...this.#running.values()].filter((running) => running.next !== undefined).length;
    return {
      waiting: this.#waiting.size + next,
      active: this.#running.size,
      delayed: this.#delayedJobs.size,
      completed: this.#completed,
      failed: this.#failing.size,
      'set-aside': 0,
    };
  }

  unreadable(): number {
    return 0;
  }

  async sample(most: number): Promise<readonly ShownJob[]> {
    const nowMs = this.#clock.now().getTime();
    const shown = (state: ShownJob['state'], jobs: readonly (readonly [key: string, atMs: number])[]): ShownJob[] =>
      jobs.slice(0, most).map(([key, atMs]) => ({ state, key, atMs }));
    return [
      ...shown(
        'active',
        [...this.#running.keys()].map((key) => [key, nowMs]),
      ),
      ...shown(
        'waiting',
        [...this.#waiting].map(([key, { addedMs }]) => [key, addedMs]),
      ),
      ...shown(
        'delayed',
        [...this.#delayedJobs].map(([key, { dueMs }]) => [key, dueMs]),
      ),
      ...shown(
        'failed',
        [...this.#failing].map((key) => [key, nowMs]),
      ),
    ];
  }

  async close({ deadlineMs = 10_000 }: Readonly<{ deadlineMs?: number }> = {}): Promise<void> {
    this.#taking = false;
    const cancel = this.#clock.after(deadlineMs, () => {
      for (const { stop } of this.#running.values()) stop.abort();
    });
    if (this.#running.size > 0) await new Promise<void>((resolve) => this.#idle.push(resolve));
    cancel();
    for (const delayedJob of this.#delayedJobs.values()) delayedJob.cancel();
  }

  #setDelayed(job: J, delayMs: number): void {
    const key = this.contract.keyOf(job);
    const dueMs = this.#clock.now().getTime() + delayMs;
    const old = this.#delayedJobs.get(key);
    if (old !== undefined && old.dueMs <= dueMs) return;
    old?.cancel();
    const ring = () => {
      this.#delayedJobs.delete(key);
      this.#enqueue(job, this.#ranks.rank(job));
    };
    this.#delayedJobs.set(key, { job, dueMs, cancel: this.#clock.after(delayMs, ring) });
  }

  #enqueue(job: J, { priority, takeBack }: Rank): void {
    const key = this.contract.keyOf(job);
    const running = this.#running.get(key);
    const waiting = this.#waiting.get(key);
    if (running !== undefined) {
      if (running.next !== undefined) takeBack();
      running.next = { job, priority: Math.min(priority, running.next?.priority ?? priority) };
    } else if (waiting !== undefined) {
      takeBack();
      waiting.priority = Math.min(waiting.priority, priority);
    } else {
      this.#waiting.set(key, { job, addedMs: this.#clock.now().getTime(), priority, order: this.#order++ });
    }
    this.#pump();
  }

  #pump(): void {
    if (this.#handler === undefined) return;
    while (this.#taking && this.#running.size < this.#concurrency && this.#waiting.size > 0) {
      const [key, { job, addedMs }] = [...this.#waiting].reduce((one, other) =>
        isBefore(other[1], one[1]) ? other : one,
      );
      this.#waiting.delete(key);
      const running: Running<J> = { stop: new AbortController(), next: undefined };
      this.#running.set(key, running);
      void this.#run(key, { data: job, addedMs }, running, this.#handler);
    }
  }

  async #run(key: string, job: QueuedJob, running: Running<J>, handler: JobHandler<J>): Promise<void> {
    try {
      await attemptJob(this.#host, job, handler, running.stop.signal);
      this.#completed++;
    } catch {
      // attemptJob has logged it and set a delayed job for the next try
    }
    this.#running.delete(key);
    if (running.next !== undefined)
      this.#enqueue(running.next.job, { priority: running.next.priority, takeBack: () => undefined });
    this.#pump();
    if (this.#running.size === 0) for (const resolve of this.#idle.splice(0)) resolve();
  }
}
