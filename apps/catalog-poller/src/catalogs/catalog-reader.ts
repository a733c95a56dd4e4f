import { Worker } from 'node:worker_threads';
import type { ReadCatalog, ReadRequest } from './read-catalog.js';

type Reply = Readonly<{ read: ReadCatalog } | { problem: string }>;

export type ReaderLimits = Readonly<{
  /** Catalogs that are read at the same time. */
  threads: number;
  /** Milliseconds for one catalog. */
  deadlineMs: number;
  /** Heap of one thread in MiB: a catalog that needs more is refused instead of taking the process down. */
  heapMiB: number;
}>;

const defaultLimits: ReaderLimits = { threads: 2, deadlineMs: 120_000, heapMiB: 1_024 };
/** A blob is read, used and forgotten: a small nursery holds what lives so shortly. */
const NURSERY_MIB = 12;

/** Reads catalogs in threads of their own, a few at a time. */
export class CatalogReader {
  readonly #waiting: (() => void)[] = [];
  #free: number;

  constructor(private readonly limits: ReaderLimits = defaultLimits) {
    this.#free = limits.threads;
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

  #inThread(request: ReadRequest): Promise<Reply> {
    const { deadlineMs, heapMiB } = this.limits;
    const thread = new Worker(new URL('./read-catalog.thread.js', import.meta.url), {
      workerData: request,
      resourceLimits: { maxOldGenerationSizeMb: heapMiB, maxYoungGenerationSizeMb: NURSERY_MIB },
    });
    return new Promise<Reply>((resolve) => {
      const late = setTimeout(
        () => resolve({ problem: `reading it took longer than ${deadlineMs / 1_000} s and was ended` }),
        deadlineMs,
      );
      thread.once('message', resolve);
      thread.once('error', ({ message }) => resolve({ problem: message }));
      thread.once('exit', () => resolve({ problem: 'the thread that read it ended' }));
      thread.once('exit', () => clearTimeout(late));
    }).finally(() => thread.terminate());
  }
}
