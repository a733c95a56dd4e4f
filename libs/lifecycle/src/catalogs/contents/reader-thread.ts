import { TaskThread, type ThreadEnded } from '#platform/processes/threads/task-thread';
import type { ReadCatalog, ReadRequest } from './read-catalog.js';

/**
 * The thread's last message, or the reason why there is none. `isOfContent`: the same catalog would end so
 * again. `outOfMemory`: the thread reached the limit of its heap.
 */
export type Reply = Readonly<{ read: ReadCatalog } | { problem: string; isOfContent?: true; outOfMemory?: true }>;

/** Bytes that the thread has written, posted while it reads. */
export type BytesWritten = Readonly<{ wrote: number }>;

/** A blob is read, used and dropped: a small nursery is enough for such short-lived objects. */
const NURSERY_MIB = 12;

const isWritten = (message: Reply | BytesWritten): message is BytesWritten => 'wrote' in message;

/** A thread that reads one catalog after the other. */
export class ReaderThread {
  readonly #thread: TaskThread<ReadRequest, BytesWritten, Reply>;

  constructor(threadFile: URL, heapMiB: number) {
    const heap = { heapMiB, youngMiB: NURSERY_MIB };
    this.#thread = new TaskThread<ReadRequest, BytesWritten, Reply>(threadFile, heap, isWritten);
  }

  /** True if it has ended, and reads no more. */
  get ended(): boolean {
    return this.#thread.ended;
  }

  /** Reads a catalog, and resolves in any case. A catalog that takes too long ends the thread. */
  async read(request: ReadRequest, deadlineMs: number, onWritten: (bytes: number) => void): Promise<Reply> {
    let isLate = false;
    const late = setTimeout(() => {
      isLate = true;
      void this.#thread.end(`reading it took longer than ${deadlineMs / 1_000} s and was ended`);
    }, deadlineMs);
    try {
      return replyOf(await this.#thread.run(request, { onNote: ({ wrote }) => onWritten(wrote) }), isLate);
    } finally {
      clearTimeout(late);
    }
  }

  readonly end = (): Promise<void> => this.#thread.end();
}

function replyOf(reply: Reply | ThreadEnded, isLate: boolean): Reply {
  if (!('ended' in reply)) return reply;
  if (reply.outOfMemory) return { problem: reply.ended, isOfContent: true, outOfMemory: true };
  return { problem: reply.ended, ...(isLate && { isOfContent: true }) };
}
