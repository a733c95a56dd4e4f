import { Buffer } from 'node:buffer';

/** Keeps pieces of bytes until they are needed: in memory, or wherever there is more room. */
export interface ByteShelf {
  /** Copies the bytes; the number it gives names the piece. */
  put(bytes: Uint8Array): number;
  /** Returns the piece. The next call may overwrite it. */
  get(piece: number): Uint8Array;
}

/** Keeps pieces in memory; they stay as they are. */
export class MemoryShelf implements ByteShelf {
  readonly #pieces: Uint8Array[] = [];

  put(bytes: Uint8Array): number {
    return this.#pieces.push(Buffer.from(bytes)) - 1;
  }

  get(piece: number): Uint8Array {
    const bytes = this.#pieces[piece];
    if (bytes === undefined) throw new RangeError(`there is no piece ${piece}`);
    return bytes;
  }
}
