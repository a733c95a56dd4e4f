import type { ByteRange } from '#core/catalog/metas/byte-range';
import type { MetasIndex } from '#core/catalog/metas/metas-index';
import type { OpenContent } from '../store/content-store.port.js';

const CHUNK_BYTES = 64 * 1024;
/** Reads under way at the same time for one answer. */
const TOGETHER = 64;

/**
 * One catalog.jsonl, opened once for all requests. A reader that is at work when it is
 * closed reads to the end.
 */
export class MetasContent {
  #readers = 0;
  #closing = false;

  /** Closes `content` in the end. */
  constructor(
    private readonly content: OpenContent,
    readonly index: MetasIndex,
  ) {}

  /** Bytes. */
  get size(): number {
    return this.content.size;
  }

  /** Reads the ranges, a chunk at a time. */
  async *read(ranges: readonly ByteRange[]): AsyncGenerator<Uint8Array> {
    this.#readers += 1;
    try {
      for (const range of ranges) yield* this.#chunks(range);
    } finally {
      await this.#leave();
    }
  }

  /** All ranges at once, several read at the same time: for what is small and lies scattered. */
  async readTogether(ranges: readonly ByteRange[]): Promise<Uint8Array[]> {
    this.#readers += 1;
    try {
      const pieces: Uint8Array[] = [];
      for (let at = 0; at < ranges.length; at += TOGETHER) {
        const some = ranges.slice(at, at + TOGETHER).map((range) => Array.fromAsync(this.#chunks(range)));
        pieces.push(...(await Promise.all(some)).flat());
      }
      return pieces;
    } finally {
      await this.#leave();
    }
  }

  async close(): Promise<void> {
    if (this.#closing) return;
    this.#closing = true;
    if (this.#readers === 0) await this.content.close();
  }

  async #leave(): Promise<void> {
    this.#readers -= 1;
    if (this.#closing && this.#readers === 0) await this.content.close();
  }

  async *#chunks({ start, length }: ByteRange): AsyncGenerator<Uint8Array> {
    for (let done = 0; done < length; ) {
      const chunk = await this.content.read(start + done, Math.min(CHUNK_BYTES, length - done));
      if (chunk.length === 0) throw new Error(`a catalog's content ends ${length - done} bytes too early`);
      done += chunk.length;
      yield chunk;
    }
  }
}
