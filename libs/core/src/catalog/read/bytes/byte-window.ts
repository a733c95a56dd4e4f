import { Buffer } from 'node:buffer';
import { BlobError } from '../../model/catalog-load.error.js';

/**
 * Most bytes of one document: none is held whole beyond it. The largest blob of a public
 * catalog has under 4 MiB.
 */
const MAX_DOCUMENT_BYTES = 64 * 1024 * 1024;

/**
 * Most values of one document, about: a million empty objects are small as text and take a
 * hundred times that in memory.
 */
export const MAX_DOCUMENT_VALUES = 1_000_000;

const FIRST_SIZE = 512 * 1024;
const NEWLINE = 0x0a;
const NOTHING_KNOWN = { bytes: 0, lines: 0 };

/**
 * The part of a stream that is in memory: chunks come in behind, documents leave in front. One window
 * serves all files of a catalog, so that its buffer is allocated once. A chunk is copied at once, so the
 * caller may overwrite it.
 */
export class ByteWindow {
  /**
   * The bytes that were read and not dropped. Any call of {@link more} or {@link drop} invalidates an earlier
   * value.
   */
  unread: Buffer = Buffer.alloc(0);
  /** Line of the first unread byte, from 1. */
  line = 1;
  /** How many bytes have been dropped: the offset of the first unread one. */
  offset = 0;
  #store = Buffer.alloc(0);
  #chunks: Iterator<Uint8Array> = [][Symbol.iterator]();

  constructor(private readonly maxDocumentBytes: number = MAX_DOCUMENT_BYTES) {}

  /** Returns a window onto bytes that are all in memory; they are not copied. */
  static whole(bytes: Uint8Array): ByteWindow {
    const window = new ByteWindow();
    window.unread = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    return window;
  }

  /** Begins another stream. The rest of the last one is dropped. */
  open(chunks: Iterable<Uint8Array>): this {
    this.close();
    this.#chunks = chunks[Symbol.iterator]();
    this.unread = this.#store.subarray(0, 0);
    this.line = 1;
    this.offset = 0;
    return this;
  }

  /** Ends the stream early, so that the source of the chunks may close its file. */
  close(): void {
    this.#chunks.return?.();
  }

  /**
   * Takes in the next chunk. Returns false at the end of the stream. Throws {@link BlobError} if a document
   * grows too large.
   */
  more(): boolean {
    const next = this.#chunks.next();
    if (next.done) return false;
    const length = this.unread.length + next.value.length;
    if (this.unread.length > this.maxDocumentBytes) {
      const limit = Math.floor(this.maxDocumentBytes / (1024 * 1024));
      throw new BlobError(`document is larger than ${limit} MiB`, this.line);
    }
    this.#makeRoom(length);
    this.#store.set(next.value, this.unread.length);
    this.unread = this.#store.subarray(0, length);
    return true;
  }

  /** Drops the first `length` unread bytes; `known`: how many lines end in the first of them. */
  drop(length: number, known: Readonly<{ bytes: number; lines: number }> = NOTHING_KNOWN): void {
    this.line += known.lines + countNewlines(this.unread, known.bytes, length);
    this.offset += length;
    this.unread = this.unread.subarray(length);
  }

  /** Moves the unread bytes to the front of a buffer that can hold `length`. */
  #makeRoom(length: number): void {
    if (length <= this.#store.length) {
      if (this.unread.byteOffset !== this.#store.byteOffset) this.#store.set(this.unread, 0);
      return;
    }
    const larger = Buffer.allocUnsafeSlow(Math.max(FIRST_SIZE, length, this.#store.length * 2));
    larger.set(this.unread, 0);
    this.#store = larger;
  }
}

/** Counts the line ends between two offsets. */
export function countNewlines(bytes: Uint8Array, from: number, to: number): number {
  let count = 0;
  for (let at = from; at < to; at += 1) if (bytes[at] === NEWLINE) count += 1;
  return count;
}
