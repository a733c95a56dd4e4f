import type { ReadCatalog, ReadRequest } from './read-catalog.js';
import { ReaderThread, type Reply } from './reader-thread.js';

export type ReaderLimits = Readonly<{
  /** Catalogs that are read at the same time. */
  threads: number;
  /** Milliseconds for one catalog. */
  deadlineMs: number;
  /** Heap of one thread in MiB: a catalog that needs more is refused instead of taking the process down. */
  heapMiB: number;
  /** Milliseconds for which a thread without work is kept: starting one costs more than reading a small catalog. */
  idleMs: number;
}>;

const defaultLimits: ReaderLimits = { threads: 2, deadlineMs: 120_000, heapMiB: 1_024, idleMs: 10_000 };

type Idle = Readonly<{ thread: ReaderThread; timer: NodeJS.Timeout }>;

/** Reads catalogs in threads of their own, a few at a time. */
export class CatalogReader {
  readonly #waiting: (() => void)[] = [];
  readonly #idle: Idle[] = [];
  readonly #limits: ReaderLimits;
  #free: number;

  constructor(
    limits: Partial<ReaderLimits> = {},
    private readonly threadFile = new URL('./read-catalog.thread.js', import.meta.url),
  ) {
    this.#limits = { ...defaultLimits, ...limits };
    this.#free = this.#limits.threads;
  }

  /** Threads that wait for their next catalog. */
  get idle(): number {
    return this.#idle.length;
  }

  /** `undecided`: not read within the limits, or the disk failed: the same files may be read another time. */
  async read(request: ReadRequest): Promise<ReadCatalog | Readonly<{ undecided: string }>> {
    if (this.#free === 0) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#free -= 1;
    try {
      const reply = await this.#inThread(request);
      return 'read' in reply ? reply.read : { undecided: reply.problem };
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#free += 1;
      else next();
    }
  }

  async #inThread(request: ReadRequest): Promise<Reply> {
    const thread = this.#take() ?? new ReaderThread(this.threadFile, this.#limits.heapMiB);
    const reply = await thread.read(request, this.#limits.deadlineMs);
    if (!thread.ended) this.#keep(thread);
    return reply;
  }

  #take(): ReaderThread | undefined {
    for (;;) {
      const idle = this.#idle.pop();
      if (idle === undefined) return undefined;
      clearTimeout(idle.timer);
      if (!idle.thread.ended) return idle.thread;
    }
  }

  #keep(thread: ReaderThread): void {
    const timer = setTimeout(() => {
      this.#idle.splice(this.#idle.indexOf(idle), 1);
      thread.end();
    }, this.#limits.idleMs).unref();
    const idle: Idle = { thread, timer };
    this.#idle.push(idle);
  }
}
