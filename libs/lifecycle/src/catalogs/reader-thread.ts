import { Worker } from 'node:worker_threads';
import { threadMemory } from '#platform/processes/service-memory';
import type { ReadCatalog, ReadRequest } from './read-catalog.js';

/** The thread's last message, or why there is none. `isOfContent`: the same catalog would end so again. */
export type Reply = Readonly<{ read: ReadCatalog } | { problem: string; isOfContent?: true }>;

/** Bytes that the thread has written, posted while it reads. */
export type BytesWritten = Readonly<{ wrote: number }>;

/** A blob is read, used and dropped: a small nursery is enough for such short-lived objects. */
const NURSERY_MIB = 12;

/** A thread that reads one catalog after the other. It keeps the process alive only while it reads. */
export class ReaderThread {
  readonly #worker: Worker;
  #settle: (reply: Reply) => void = () => undefined;
  #onWritten: (bytes: number) => void = () => undefined;
  #ended = false;

  constructor(threadFile: URL, heapMiB: number) {
    this.#worker = new Worker(threadFile, { execArgv: [], resourceLimits: threadMemory(heapMiB, NURSERY_MIB) });
    this.#worker.on('message', (message: Reply | BytesWritten) => {
      if ('wrote' in message) this.#onWritten(message.wrote);
      else this.#settle(message);
    });
    this.#worker.on('error', (error) => this.#end(error.message, isOutOfMemory(error)));
    this.#worker.on('exit', () => this.#end('the thread that read it ended'));
    this.#worker.unref();
  }

  /** It has ended, and reads no more. */
  get ended(): boolean {
    return this.#ended;
  }

  /** Answers in any case; a catalog that takes too long ends the thread. */
  async read(request: ReadRequest, deadlineMs: number, onWritten: (bytes: number) => void): Promise<Reply> {
    this.#onWritten = onWritten;
    this.#worker.ref();
    const late = setTimeout(
      () => this.#end(`reading it took longer than ${deadlineMs / 1_000} s and was ended`, true),
      deadlineMs,
    );
    try {
      return await new Promise<Reply>((resolve) => {
        this.#settle = resolve;
        this.#worker.postMessage(request);
      });
    } finally {
      clearTimeout(late);
      this.#worker.unref();
    }
  }

  end(): void {
    this.#end('the thread that read it ended');
  }

  #end(problem: string, isOfContent = false): void {
    this.#ended = true;
    this.#settle({ problem, ...(isOfContent && { isOfContent: true }) });
    void this.#worker.terminate();
  }
}

const isOutOfMemory = (error: Error): boolean => 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
