import { Worker } from 'node:worker_threads';
import { threadMemory } from '../service-memory.js';

/** Heap of a thread, and the young generation in it; MiB. */
type ThreadHeap = Readonly<{ heapMiB: number; youngMiB: number }>;

/** A thread that ended before it answered. `outOfMemory`: at the limit of its heap. */
export type ThreadEnded = Readonly<{ ended: string; outOfMemory?: true }>;

/** A task, and the callback for the thread's notes during its work. */
type TaskOptions<Note> = Readonly<{ onNote: (note: Note) => void; transfer?: readonly ArrayBuffer[] }>;

/**
 * A thread that does one task after the other, with a heap of its own: a task that needs more ends the thread
 * and not the process. It keeps the process alive only while it works.
 */
export class TaskThread<Task, Note extends object, Reply extends object> {
  readonly #worker: Worker;
  #settle: (reply: Reply | ThreadEnded) => void = () => undefined;
  #onNote: (note: Note) => void = () => undefined;
  #ended = false;

  constructor(threadFile: URL, { heapMiB, youngMiB }: ThreadHeap, isNote: (message: Note | Reply) => message is Note) {
    this.#worker = new Worker(threadFile, { execArgv: [], resourceLimits: threadMemory(heapMiB, youngMiB) });
    this.#worker.on('message', (message: Note | Reply) => {
      if (isNote(message)) this.#onNote(message);
      else this.#settle(message);
    });
    this.#worker.on('error', (error) => void this.#end({ ended: error.message, ...memoryOf(error) }));
    this.#worker.on('exit', () => void this.end());
    this.#worker.unref();
  }

  /** True if it has ended, and takes no further tasks. */
  get ended(): boolean {
    return this.#ended;
  }

  /** Answers in any case. */
  async run(task: Task, { onNote, transfer = [] }: TaskOptions<Note>): Promise<Reply | ThreadEnded> {
    this.#onNote = onNote;
    this.#worker.ref();
    try {
      return await new Promise<Reply | ThreadEnded>((resolve) => {
        this.#settle = resolve;
        if (this.#ended) void this.end();
        else this.#worker.postMessage(task, transfer);
      });
    } finally {
      this.#onNote = () => undefined;
      // The caller waits for the thread's end, even if the caller is a command with nothing else to do.
      if (!this.#ended) this.#worker.unref();
    }
  }

  /** Posts more to the thread while it works. */
  post(message: object, transfer: readonly ArrayBuffer[] = []): void {
    if (!this.#ended) this.#worker.postMessage(message, transfer);
  }

  /** Ends the thread, and a task that it has. Resolves when it does nothing any more. */
  end(because = 'the thread that read it ended'): Promise<void> {
    return this.#end({ ended: because });
  }

  async #end(reply: ThreadEnded): Promise<void> {
    this.#ended = true;
    this.#settle(reply);
    this.#worker.ref();
    await this.#worker.terminate();
  }
}

const memoryOf = (error: Error): Readonly<{ outOfMemory?: true }> =>
  'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? { outOfMemory: true } : {};
