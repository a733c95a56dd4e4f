import type { ByteRange } from '#core/catalog/metas/byte-range';
import type { MetasIndex } from '#core/catalog/metas/metas-index';
import type { OpenContent } from '../content/content-store.port.js';
import { gzippedContent } from './gzipped-content.js';

const CHUNK_BYTES = 256 * 1024;
/** Reads under way at the same time for one answer. */
const TOGETHER = 64;

/**
 * One catalog.jsonl, opened once for all requests. A reader that is at work when it is
 * closed reads to the end.
 */
export class MetasContent {
  #readers = 0;
  #closing = false;
  #gzipped: Promise<OpenContent> | undefined;

  /** `content` is closed at the end. `gzip` compresses it for the first reader that asks for that. */
  constructor(
    private readonly content: OpenContent,
    readonly index: MetasIndex,
    private readonly gzip: (content: OpenContent) => Promise<OpenContent> = gzippedContent,
  ) {}

  /** Bytes. */
  get size(): number {
    return this.content.size;
  }

  /**
   * Returns views of the ranges, if the content is in memory and not closed. They stay valid after it is
   * closed, too.
   */
  held(ranges: readonly ByteRange[]): Uint8Array[] | undefined {
    const { held } = this.content;
    if (held === undefined || this.#closing) return undefined;
    return ranges.map(({ start, length }) => held.subarray(start, start + length));
  }

  /** Reads the ranges, a chunk at a time. */
  async *read(ranges: readonly ByteRange[]): AsyncGenerator<Uint8Array> {
    this.#readers += 1;
    try {
      for (const range of ranges) yield* chunksOf(this.content, range);
    } finally {
      await this.#leave();
    }
  }

  /**
   * Reads the whole content compressed. This is done once for all readers. Throws before the first chunk if
   * there is no room for that: then the reader has to compress it.
   */
  async *readGzipped(): AsyncGenerator<Uint8Array> {
    this.#readers += 1;
    try {
      this.#gzipped ??= this.gzip(this.content);
      const gzipped = await this.#gzipped.catch((error: unknown) => {
        this.#gzipped = undefined;
        throw error;
      });
      yield* chunksOf(gzipped, { start: 0, length: gzipped.size });
    } finally {
      await this.#leave();
    }
  }

  /** Reads all ranges at once, several at the same time: for small and scattered ranges. */
  async readTogether(ranges: readonly ByteRange[]): Promise<Uint8Array[]> {
    this.#readers += 1;
    try {
      const pieces: Uint8Array[] = [];
      for (let at = 0; at < ranges.length; at += TOGETHER) {
        const some = ranges.slice(at, at + TOGETHER).map((range) => Array.fromAsync(chunksOf(this.content, range)));
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
    if (this.#readers === 0) await this.#closeFiles();
  }

  async #leave(): Promise<void> {
    this.#readers -= 1;
    if (this.#closing && this.#readers === 0) await this.#closeFiles();
  }

  async #closeFiles(): Promise<void> {
    const gzipped = await this.#gzipped?.catch(() => undefined);
    await gzipped?.close();
    await this.content.close();
  }
}

async function* chunksOf(content: OpenContent, { start, length }: ByteRange): AsyncGenerator<Uint8Array> {
  for (let done = 0; done < length; ) {
    const chunk = await content.read(start + done, Math.min(CHUNK_BYTES, length - done));
    if (chunk.length === 0) throw new Error(`a catalog's content ends ${length - done} bytes too early`);
    done += chunk.length;
    yield chunk;
  }
}
