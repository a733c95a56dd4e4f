import { rm } from 'node:fs/promises';
import { IdleThreads } from '../../../processes/threads/idle-threads.js';
import { TaskThread, type ThreadEnded } from '../../../processes/threads/task-thread.js';
import type { RegistryLimits } from '../../client/registry-limits.js';
import { type LayersGuard, type LayersReader, ReaderEnded, type UnpackTarget } from './layers-reader.port.js';
import {
  errorOf,
  isNote,
  type LayersNote,
  type LayersReply,
  type LayersTask,
  type ThreadProblem,
} from './thread-messages.js';

type Thread = TaskThread<LayersTask, LayersNote, LayersReply>;

type LayerThreadsOptions = Readonly<{
  /** Heap of one thread; by default as {@link heapFor} says. */
  heapMiB?: number;
  /** Milliseconds for which a thread without work is kept. */
  idleMs?: number;
}>;

const IDLE_MS = 10_000;
/** Threads without work that are kept: memory at rest is small, and one pull often follows another. */
const MOST_IDLE = 1;
const YOUNG_MIB = 12;
/** Largest pieces of a layer on its way to the thread, and the number of pieces that may be on their way. */
const CHUNK_BYTES = 256 * 1024;
const CHUNKS_AHEAD = 8;

/** Heap for the names of so many entries: twice the heap of an image with usual names. */
const heapFor = ({ entries }: Pick<RegistryLimits, 'entries'>): number => Math.max(128, Math.ceil(entries / 1_000));

/** Reads layers in threads with a heap limit, one for each image. A thread that ends costs one pull. */
export class LayerThreads implements LayersReader {
  /** Idle threads by the size of their heap: clients may have other bounds. */
  readonly #idle = new Map<number, IdleThreads<Thread>>();

  constructor(
    private readonly threadFile: URL,
    private readonly options: LayerThreadsOptions = {},
  ) {}

  /** Threads that wait for their next image. */
  get idle(): number {
    return [...this.#idle.values()].reduce((sum, { count }) => sum + count, 0);
  }

  readonly files: LayersReader['files'] = async (request, guard) => {
    const reply = await this.#read({ task: request }, guard);
    return 'files' in reply ? reply.files : [];
  };

  readonly unpack: LayersReader['unpack'] = async (request, target, guard) => {
    const reply = await this.#read({ task: request, target }, guard);
    return 'unpacked' in reply ? reply.unpacked : { bytes: 0, files: 0 };
  };

  async #read(task: LayersTask, guard: LayersGuard): Promise<LayersReply> {
    guard.signal?.throwIfAborted();
    const heapMiB = this.options.heapMiB ?? heapFor(task.task.limits);
    const threads = this.#threadsOf(heapMiB);
    const thread = threads.take();
    const reading = new ThreadReading(thread, guard);
    try {
      const reply = await reading.run(task);
      if ('ended' in reply) throw ended(reply, heapMiB, guard);
      if ('problem' in reply) throw errorOf(reply.problem, guard.refuse);
      threads.keep(thread);
      return reply;
    } catch (error) {
      await thread.end();
      await removePartial(task.target);
      guard.signal?.throwIfAborted();
      throw error;
    }
  }

  #threadsOf(heapMiB: number): IdleThreads<Thread> {
    const known = this.#idle.get(heapMiB);
    if (known !== undefined) return known;
    const heap = { heapMiB, youngMiB: YOUNG_MIB };
    const start = (): Thread => new TaskThread<LayersTask, LayersNote, LayersReply>(this.threadFile, heap, isNote);
    const threads = new IdleThreads(start, this.options.idleMs ?? IDLE_MS, MOST_IDLE);
    this.#idle.set(heapMiB, threads);
    return threads;
  }
}

function ended(reply: ThreadEnded, heapMiB: number, { refuse }: LayersGuard): ReaderEnded {
  const why = reply.outOfMemory ? `needs more than ${heapMiB} MiB of memory` : `ended its thread (${reply.ended})`;
  const { reference, message } = refuse('TooLarge', `unpacking its layers ${why}: build it with fewer files and links`);
  return new ReaderEnded(reference, message);
}

/** An earlier error says more than a failure to tidy up. */
const removePartial = async (target: UnpackTarget | undefined): Promise<void> => {
  if (target !== undefined) await rm(target.partial, { recursive: true, force: true }).catch(() => undefined);
};

/** Reads one image in one thread: hands over the layers that the thread asks for. */
class ThreadReading {
  /** Rejects with failures on this side. */
  readonly #failed = Promise.withResolvers<never>();
  #closed = Promise.withResolvers<void>();
  #ahead = 0;
  #room = Promise.withResolvers<void>();

  constructor(
    private readonly thread: Thread,
    private readonly guard: LayersGuard,
  ) {
    this.#failed.promise.catch(() => undefined);
  }

  async run(task: LayersTask): Promise<LayersReply | ThreadEnded> {
    const { signal } = this.guard;
    const abort = () => this.#failed.reject(signal?.reason);
    signal?.addEventListener('abort', abort, { once: true });
    try {
      const reply = this.thread.run(task, { onNote: (note) => this.#on(note) });
      return await Promise.race([reply, this.#failed.promise]);
    } finally {
      signal?.removeEventListener('abort', abort);
      // Rejects everything that still waits for the thread.
      this.#closed.reject(this.guard.refuse('TooLarge', 'the thread reads the layer no more'));
      this.#closed.promise.catch(() => undefined);
    }
  }

  #on(note: LayersNote): void {
    if ('open' in note) void this.#open(note.open).catch(this.#failed.reject);
    else if ('took' in note) this.#took();
    else if ('closed' in note) this.#close(note.closed);
    else this.#wrote(note.wrote);
  }

  async #open(layer: number): Promise<void> {
    this.#closed = Promise.withResolvers();
    this.#closed.promise.catch(() => undefined);
    this.#ahead = 0;
    await this.guard.open(layer, (bytes) => this.#handOver(bytes));
    this.thread.post({ verified: true });
  }

  /** Ends when the thread has read the layer. */
  async #handOver(bytes: AsyncIterable<Uint8Array>): Promise<void> {
    const closed = this.#closed.promise;
    await Promise.race([this.#post(bytes), closed]);
    await closed;
  }

  async #post(bytes: AsyncIterable<Uint8Array>): Promise<void> {
    for await (const chunk of bytes) {
      for (let at = 0; at < chunk.length; at += CHUNK_BYTES) {
        while (this.#ahead >= CHUNKS_AHEAD) await this.#room.promise;
        this.#ahead += 1;
        // A copy: the chunk may be a part of a buffer that others use.
        const part = Uint8Array.from(chunk.subarray(at, at + CHUNK_BYTES));
        this.thread.post({ chunk: part }, [part.buffer]);
      }
    }
    this.thread.post({ end: true });
  }

  #took(): void {
    this.#ahead -= 1;
    this.#room.resolve();
    this.#room = Promise.withResolvers();
  }

  #close(how: ThreadProblem | 'well'): void {
    if (how === 'well') this.#closed.resolve();
    else this.#closed.reject(errorOf(how, this.guard.refuse));
  }

  #wrote(bytes: number): void {
    try {
      this.guard.onDisk?.(bytes);
    } catch (error) {
      this.#failed.reject(error);
    }
  }
}
