import { Worker } from 'node:worker_threads';
import type { BundleFile } from '#core/bundle/bundle';
import type { ReadCatalog } from './read-catalog.js';

type Reply = Readonly<{ read: ReadCatalog } | { problem: string }>;

export type ReaderLimits = Readonly<{
  /** Catalogs that are read at the same time. */
  threads: number;
  /** Milliseconds for one catalog. */
  deadlineMs: number;
  /** Heap of one thread in MiB: a catalog that needs more is refused instead of taking the process down. */
  heapMiB: number;
}>;

const defaultLimits: ReaderLimits = { threads: 2, deadlineMs: 120_000, heapMiB: 3_072 };

/** Reads catalogs in threads of their own, a few at a time. */
export class CatalogReader {
  readonly #waiting: (() => void)[] = [];
  #free: number;

  constructor(private readonly limits: ReaderLimits = defaultLimits) {
    this.#free = limits.threads;
  }

  /** A catalog that cannot be read, or not within the limits, is a problem, not an error. */
  async read(files: readonly BundleFile[]): Promise<ReadCatalog> {
    if (this.#free === 0) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#free -= 1;
    try {
      const reply = await this.#inThread(files);
      return 'read' in reply ? reply.read : { problems: [reply.problem] };
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#free += 1;
      else next();
    }
  }

  #inThread(files: readonly BundleFile[]): Promise<Reply> {
    const { deadlineMs, heapMiB } = this.limits;
    const thread = new Worker(new URL('./read-catalog.thread.js', import.meta.url), {
      workerData: files,
      resourceLimits: { maxOldGenerationSizeMb: heapMiB },
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
