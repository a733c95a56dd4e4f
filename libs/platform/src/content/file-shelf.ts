import { closeSync, mkdtempSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ByteShelf, MemoryShelf } from '#core/catalog/write/byte-shelf';

/** Most bytes in memory: most catalogs need no file. */
const HELD_BYTES = 4 * 1024 * 1024;

/**
 * Keeps the first megabytes in memory, and the rest in a temporary file without a name that goes with the
 * process. If there is no room for the file, memory takes the rest. Reads and writes block the thread: it is
 * for commands.
 */
export class FileShelf implements ByteShelf {
  readonly #memory = new MemoryShelf();
  readonly #places: (number | Readonly<{ start: number; length: number }>)[] = [];
  #held = 0;
  #end = 0;
  #file: number | undefined;
  #failed = false;
  #read = Buffer.alloc(0);

  /** `open` gives the descriptor of an empty file for reads and writes. */
  constructor(
    private readonly heldBytes: number = HELD_BYTES,
    private readonly open: () => number = openUnnamed,
  ) {}

  put(bytes: Uint8Array): number {
    const isHeld = this.#held + bytes.length <= this.heldBytes || !this.#written(bytes);
    if (isHeld) this.#held += bytes.length;
    const place = isHeld ? this.#memory.put(bytes) : { start: this.#end - bytes.length, length: bytes.length };
    return this.#places.push(place) - 1;
  }

  get(piece: number): Uint8Array {
    const place = this.#places[piece];
    if (place === undefined) throw new RangeError(`there is no piece ${piece}`);
    if (typeof place === 'number') return this.#memory.get(place);
    const { start, length } = place;
    if (this.#read.length < length) this.#read = Buffer.allocUnsafeSlow(length);
    for (let done = 0; done < length; ) {
      const read = readSync(this.#file ?? -1, this.#read, done, length - done, start + done);
      if (read === 0) throw new Error('a temporary file ends too early');
      done += read;
    }
    return this.#read.subarray(0, length);
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }

  /** Writes bytes to the file. True if they are at its end now. After a failure the file gets no more. */
  #written(bytes: Uint8Array): boolean {
    if (this.#failed) return false;
    try {
      this.#file ??= this.open();
      for (let done = 0; done < bytes.length; )
        done += writeSync(this.#file, bytes, done, bytes.length - done, this.#end + done);
      this.#end += bytes.length;
      return true;
    } catch {
      this.#failed = true;
      return false;
    }
  }
}

function openUnnamed(): number {
  const folder = mkdtempSync(join(tmpdir(), 'flotilla-'));
  try {
    return openSync(join(folder, 'pieces'), 'wx+', 0o600);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
