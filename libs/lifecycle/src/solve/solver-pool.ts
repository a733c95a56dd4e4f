import { Worker } from 'node:worker_threads';
import { gaveUpInMemory, gaveUpInTime } from '#core/classic/resolution/problem/given-up';
import type { Resolution } from '#core/classic/resolution/problem/resolution-problem';
import { FlotillaError, type Retry } from '#core/kernel/errors/flotilla.error';
import { Demand } from '#platform/fairness/demand';
import { FairLimiter } from '#platform/fairness/fair-limiter';
import { Lanes, type Run } from '#platform/fairness/lanes';
import { threadMemory } from '#platform/processes/service-memory';
import { HeldRecords } from './held-records.js';
import type { SolveRequest, ThreadRequest } from './solve.js';

type Reply = Readonly<{ resolution: Resolution } | { error: string }>;
/** `ready` resolves once its modules are loaded. On a busy machine that takes longer than most solves. */
type Thread = Readonly<{ held: HeldRecords; ready: Promise<void> }>;

/** Heap of one thread; catalogs of any sensible size need a small part of it. */
const THREAD_MIB = 1_024;
/** Size of the young generation in it: eight MiB for new objects, as the services have, and the survivors. */
const YOUNG_MIB = 24;
/**
 * Time without work after which a thread ends. A thread takes some 20 MiB, and starting one takes a quarter
 * of a second of the processor (why: speed.md "Solver threads keep package records").
 */
const IDLE_MS = 60_000;

/** Problems that may wait for the slow lane: each keeps a job of the queue. */
const MOST_SLOW = 24;

/** Too many problems take long: this one is retried later. */
class SolverBusy extends FlotillaError {
  readonly code = 'SolverBusy';
  readonly retry: Retry = 'backoff';
  constructor(namespace: string) {
    super(
      `the problem of namespace ${namespace} takes long, and ${MOST_SLOW} others wait for the slow lane: it is retried`,
    );
  }
}

type SolverLanes = Readonly<{ first: FairLimiter; slow: FairLimiter; firstMs: number }>;

type Idle = Readonly<{ thread: Worker; timer: NodeJS.Timeout }>;

const limiter = (total: number) => new FairLimiter({ total, perCluster: total, perNamespace: total });

/**
 * A few threads that solve, in turns over clusters and namespaces. A problem that exceeds the time slice
 * moves to the slow lane, one additional thread: short solves keep theirs. A solve past its deadline or its
 * memory is ended with its thread, and answered. A problem that is too hard costs its own namespace an
 * explanation, and no other namespace a worker.
 */
export class SolverPool {
  /** The last one had work last. */
  readonly #idle: Idle[] = [];
  readonly #all = new Map<Worker, Thread>();
  readonly #lanes: Lanes;
  #closed = false;

  constructor(
    size: number,
    readonly deadlineMs: number,
    private readonly threadFile = new URL('./solve.thread.js', import.meta.url),
    private readonly threadMiB = THREAD_MIB,
    private readonly limits: SolverLanes = { first: limiter(size), slow: limiter(1), firstMs: 2_000 },
    private readonly idleMs = IDLE_MS,
  ) {
    this.#lanes = new Lanes(limits);
  }

  /** Threads that solve, or wait for their next problem. */
  get threads(): number {
    return this.#all.size;
  }

  async solve(request: SolveRequest, demand = Demand.ofHub()): Promise<Resolution> {
    const onSlow = () => {
      if (this.limits.slow.waiting >= MOST_SLOW) throw new SolverBusy(request.problem.wishes.namespace);
    };
    const reply = await this.#lanes.run(demand, () => this.#begin(request), { onSlow });
    if ('error' in reply) throw new Error(reply.error);
    return reply.resolution;
  }

  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all([...this.#all.keys()].map((thread) => thread.terminate()));
  }

  /** A thread runs the built module, whatever conditions this process resolves its modules with. */
  #grow(): Worker {
    const resourceLimits = threadMemory(this.threadMiB, YOUNG_MIB);
    const thread = new Worker(this.threadFile, { execArgv: [], resourceLimits });
    thread.unref();
    const { promise: ready, resolve } = Promise.withResolvers<void>();
    thread.once('message', () => resolve());
    this.#all.set(thread, { held: new HeldRecords(), ready });
    return thread;
  }

  #begin(request: SolveRequest): Run<Reply> {
    if (this.#closed) return { done: Promise.resolve({ error: 'the solver is closed' }), end: () => undefined };
    const { namespace } = request.problem.wishes;
    const thread = this.#take() ?? this.#grow();
    const { promise, resolve: settle } = Promise.withResolvers<Reply>();
    const onMessage = (reply: Reply | Readonly<{ ready: true }>) => 'ready' in reply || done(reply, true);
    const onError = (error: Error) => {
      const tooLarge = 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
      done(tooLarge ? { resolution: gaveUpInMemory(namespace, this.threadMiB) } : { error: error.message }, false);
    };
    const onExit = () => done({ error: 'the solver thread ended' }, false);
    let deadline: NodeJS.Timeout | undefined;
    let isDone = false;
    const done = (reply: Reply, reusable: boolean) => {
      isDone = true;
      clearTimeout(deadline);
      thread.off('message', onMessage).off('error', onError).off('exit', onExit);
      if (reusable) this.#keep(thread);
      else this.#drop(thread);
      settle(reply);
    };
    const began = this.#all.get(thread)?.ready;
    void began?.then(() => {
      const late = () => done({ resolution: gaveUpInTime(namespace, this.deadlineMs) }, false);
      if (!isDone) deadline = setTimeout(late, this.deadlineMs);
    });
    thread.on('message', onMessage).on('error', onError).on('exit', onExit);
    const { problem, records } = request;
    const change = this.#all.get(thread)?.held.take(records) ?? { add: records, forget: [] };
    thread.postMessage({ problem, change } satisfies ThreadRequest);
    return { done: promise, end: onExit, ...(began === undefined ? {} : { began }) };
  }

  #take(): Worker | undefined {
    const idle = this.#idle.pop();
    clearTimeout(idle?.timer);
    return idle?.thread;
  }

  #keep(thread: Worker): void {
    const timer = setTimeout(() => {
      this.#idle.splice(this.#idle.indexOf(idle), 1);
      this.#drop(thread);
    }, this.idleMs).unref();
    const idle: Idle = { thread, timer };
    this.#idle.push(idle);
  }

  #drop(thread: Worker): void {
    this.#all.delete(thread);
    void thread.terminate();
  }
}
