import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Demand } from '#platform/fairness/demand';
import { FairLimiter } from '#platform/fairness/fair-limiter';
import { Lanes, type Run } from '#platform/fairness/lanes';
import { IdleThreads } from '#platform/processes/threads/idle-threads';
import type { ReadCatalog, ReadRequest } from './read-catalog.js';
import { ReaderThread, type Reply } from './reader-thread.js';

export type ReaderLimits = Readonly<{
  /** Catalogs that are read at the same time, if `lanes` is absent. */
  threads: number;
  /** Milliseconds for one catalog. */
  deadlineMs: number;
  /** Heap of one thread in MiB: a catalog that needs more is refused instead of taking the process down. */
  heapMiB: number;
  /**
   * Milliseconds for the life of a thread without work: starting one costs more than reading a small catalog.
   */
  idleMs: number;
  /** Turns between owners, and the slow lane. */
  lanes: Lanes;
}>;

type ReadOptions = Readonly<{
  demand?: Demand;
  /** Ends the reading, and is thrown. */
  signal?: AbortSignal;
  /** Called with bytes that are written. An error that it throws ends the reading. */
  onDisk?: (bytes: number) => void;
}>;

/** `isOfContent`: another try would end in the same way. `outOfMemory`: at the limit of a thread's heap. */
type Unread = Readonly<{ undecided: string; isOfContent?: true; outOfMemory?: true }>;

const defaultLimits = { threads: 2, deadlineMs: 120_000, heapMiB: 1_024, idleMs: 10_000 };
/** Work that takes longer moves to the slow lane. */
const FIRST_MS = 10_000;

const limiter = (total: number) => new FairLimiter({ total, perCluster: total, perNamespace: total });

/** Reads catalogs in threads of their own, a few at a time, in turns over clusters and namespaces. */
export class CatalogReader {
  readonly #idle: IdleThreads<ReaderThread>;
  readonly #limits: ReaderLimits;

  constructor(limits: Partial<ReaderLimits> = {}, threadFile = new URL('./read-catalog.thread.js', import.meta.url)) {
    const first = limiter(limits.threads ?? defaultLimits.threads);
    const lanes = limits.lanes ?? new Lanes({ first, slow: limiter(1), firstMs: FIRST_MS });
    this.#limits = { ...defaultLimits, ...limits, lanes };
    const { heapMiB, idleMs } = this.#limits;
    this.#idle = new IdleThreads(() => new ReaderThread(threadFile, heapMiB), idleMs);
  }

  /** Threads that wait for their next catalog. */
  get idle(): number {
    return this.#idle.count;
  }

  /**
   * Reads a catalog. `undecided`: not read within the limits, or the disk failed. Throws if the caller no
   * longer wants it.
   */
  async read(request: ReadRequest, options: ReadOptions = {}): Promise<ReadCatalog | Unread> {
    const { demand = Demand.ofHub(), signal } = options;
    let tries = 0;
    const start = () => {
      // The partial output of an aborted reading is not in the way of the next one.
      const output = tries === 0 ? request.output : join(request.output, `again-${tries}`);
      if (tries > 0) mkdirSync(output, { mode: 0o700 });
      tries += 1;
      return this.#inThread({ ...request, output }, options);
    };
    const reply = await this.#limits.lanes.run(demand, start);
    signal?.throwIfAborted();
    if ('read' in reply) return reply.read;
    const { problem, ...why } = reply;
    return { undecided: problem, ...why };
  }

  #inThread(request: ReadRequest, { signal, onDisk = () => undefined }: ReadOptions): Run<Reply> {
    const { deadlineMs } = this.#limits;
    const thread = this.#idle.take();
    const end = () => void thread.end();
    const onWritten = (bytes: number) => {
      try {
        onDisk(bytes);
      } catch {
        end(); // Its signal is aborted: the caller gets that error.
      }
    };
    const reading = thread.read(request, deadlineMs, onWritten);
    signal?.addEventListener('abort', end, { once: true });
    if (signal?.aborted) end();
    const done = reading.finally(() => {
      signal?.removeEventListener('abort', end);
      this.#idle.keep(thread);
    });
    return { done, end };
  }
}
