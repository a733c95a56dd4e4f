import { type FileHandle, open, readFile, rename, rm, writeFile } from 'node:fs/promises';
import type { ByteRange } from '#core/catalog-metas/byte-range';
import { MetasIndex } from '#core/catalog-metas/metas-index';
import { indexLines } from './index-lines.js';

const CHUNK_BYTES = 64 * 1024;

/**
 * One catalog.jsonl, opened for questions. The file stays open, so that it can be answered from even after the store has
 * dropped its name; whoever reads while it is being closed reads to the end.
 */
export class MetasContent {
  #readers = 0;
  #closing = false;

  private constructor(
    private readonly file: FileHandle,
    readonly index: MetasIndex,
  ) {}

  /** `indexFile`: where the index is kept from one start to the next; made where it is missing or does not fit. */
  static async open(path: string, indexFile?: string): Promise<MetasContent> {
    const file = await open(path, 'r');
    try {
      const { size } = await file.stat();
      const kept = indexFile === undefined ? undefined : await keptIndex(indexFile, size);
      const index = kept ?? (await indexLines(file));
      if (kept === undefined && indexFile !== undefined) await keep(indexFile, index);
      return new MetasContent(file, index);
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  /** Bytes. */
  get size(): number {
    return this.index.size;
  }

  /** Reads the ranges, a chunk at a time. */
  async *read(ranges: readonly ByteRange[]): AsyncGenerator<Buffer> {
    this.#readers += 1;
    try {
      for (const range of ranges) yield* this.#chunks(range);
    } finally {
      this.#readers -= 1;
      if (this.#closing && this.#readers === 0) await this.file.close();
    }
  }

  async close(): Promise<void> {
    if (this.#closing) return;
    this.#closing = true;
    if (this.#readers === 0) await this.file.close();
  }

  async *#chunks({ start, length }: ByteRange): AsyncGenerator<Buffer> {
    for (let done = 0; done < length; ) {
      const wanted = Math.min(CHUNK_BYTES, length - done);
      const { bytesRead, buffer } = await this.file.read(Buffer.allocUnsafe(wanted), 0, wanted, start + done);
      if (bytesRead === 0) throw new Error(`a catalog's content ends ${length - done} bytes too early`);
      done += bytesRead;
      yield buffer.subarray(0, bytesRead);
    }
  }
}

/** Undefined where there is none, or one of another content: it is made anew then. */
async function keptIndex(path: string, size: number): Promise<MetasIndex | undefined> {
  const bytes = await readFile(path).catch(() => undefined);
  const index = bytes && MetasIndex.decode(bytes);
  return index?.size === size ? index : undefined;
}

/** Best effort: without it the next start makes the index again. */
async function keep(path: string, index: MetasIndex): Promise<void> {
  const aside = `${path}.${process.pid}`;
  try {
    await writeFile(aside, index.encode(), { mode: 0o600 });
    await rename(aside, path);
  } catch {
    await rm(aside, { force: true });
  }
}
