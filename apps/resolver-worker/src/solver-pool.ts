import { Worker } from 'node:worker_threads';
import type { Resolution } from '#core/resolution/resolution-problem';
import { HeldRecords } from './held-records.js';
import type { SolveRequest, ThreadRequest } from './solve.js';

type Reply = Readonly<{ resolution: Resolution } | { error: string }>;
type Waiting = Readonly<{ request: SolveRequest; settle: (reply: Reply) => void }>;

/** Heap of one thread; catalogs of any sensible size need a small part of it. */
const THREAD_MIB = 1_024;

/**
 * A few threads that solve. A solve past its deadline or its memory is ended with its thread, and answered: one problem that is too hard
 * costs its own namespace an explanation, not everybody a worker.
 */
export class SolverPool {
  readonly #idle: Worker[] = [];
  readonly #waiting: Waiting[] = [];
  readonly #all = new Map<Worker, HeldRecords>();
  #closed = false;

  constructor(
    private readonly size: number,
    private readonly deadlineMs: number,
    private readonly threadFile = new URL('./solve.thread.js', import.meta.url),
    private readonly threadMiB = THREAD_MIB,
  ) {}

  async solve(request: SolveRequest): Promise<Resolution> {
    const reply = await new Promise<Reply>((settle) => {
      this.#waiting.push({ request, settle });
      this.#next();
    });
    if ('error' in reply) throw new Error(reply.error);
    return reply.resolution;
  }

  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all([...this.#all.keys()].map((thread) => thread.terminate()));
  }

  #next(): void {
    const thread = this.#idle.pop() ?? this.#grow();
    if (thread === undefined) return;
    const waiting = this.#waiting.shift();
    if (waiting === undefined) {
      this.#idle.push(thread);
      return;
    }
    this.#run(thread, waiting);
  }

  /** A thread runs what is built, whatever conditions this process resolves its modules with. */
  #grow(): Worker | undefined {
    if (this.#closed || this.#all.size >= this.size) return undefined;
    const resourceLimits = { maxOldGenerationSizeMb: this.threadMiB };
    const thread = new Worker(this.threadFile, { execArgv: [], resourceLimits });
    thread.unref();
    this.#all.set(thread, new HeldRecords());
    return thread;
  }

  #run(thread: Worker, { request, settle }: Waiting): void {
    const onMessage = (reply: Reply) => done(reply, true);
    const onError = (error: Error) => {
      const tooLarge = 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
      done(tooLarge ? { resolution: tooLargeFor(request, this.threadMiB) } : { error: error.message }, false);
    };
    const onExit = () => done({ error: 'the solver thread ended' }, false);
    const done = (reply: Reply, reusable: boolean) => {
      clearTimeout(deadline);
      thread.off('message', onMessage).off('error', onError).off('exit', onExit);
      if (reusable) this.#idle.push(thread);
      else this.#drop(thread);
      settle(reply);
      this.#next();
    };
    const deadline = setTimeout(() => done({ resolution: tooHard(request, this.deadlineMs) }, false), this.deadlineMs);
    thread.on('message', onMessage).on('error', onError).on('exit', onExit);
    const { problem, records } = request;
    const change = this.#all.get(thread)?.take(records) ?? { add: records, forget: [] };
    thread.postMessage({ problem, change } satisfies ThreadRequest);
  }

  #drop(thread: Worker): void {
    this.#all.delete(thread);
    void thread.terminate();
  }
}

const NARROW =
  'Narrow what has to be searched: name a channel in each Subscription, or remove catalogs that offer many providers of the same API.';

const tooLargeFor = ({ problem }: SolveRequest, threadMiB: number): Resolution => ({
  result: 'error',
  message: `resolution of namespace ${problem.wishes.namespace} took more memory than ${threadMiB} MiB and was ended`,
  advice: NARROW,
});

const tooHard = ({ problem }: SolveRequest, deadlineMs: number): Resolution => ({
  result: 'error',
  message: `resolution of namespace ${problem.wishes.namespace} took longer than ${deadlineMs} ms and was ended`,
  advice: `${NARROW} The limit is the setting FLOTILLA_SOLVE_DEADLINE.`,
});
