/**
 * Cuts a zstd stream so that no chunk holds parts of two frames, and leaves skippable frames out (RFC 8878
 * §3.1). Node's decompressor silently drops bytes after a frame within one chunk. Layers do have many frames:
 * `zstd:chunked`, as podman pushes it, has one for each file, and a table in a skippable one. Throws an Error
 * if the stream is no zstd, or the last frame is cut short.
 */
export async function* zstdFrames(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const walk = new FrameWalk();
  for await (const chunk of chunks) yield* walk.cut(chunk);
  if (!walk.betweenFrames) throw new Error('the last zstd frame is cut short');
}

const MAGIC = 0xfd2fb528;
const SKIPPABLE = 0x184d2a50;

type Part =
  /** Fields of so many bytes, to be read whole. */
  | Readonly<{ kind: 'magic' | 'skippable-size' | 'descriptor' | 'block'; bytes: number }>
  /** A number of bytes to pass on or to skip. `next` follows. */
  | { readonly kind: 'pass' | 'skip'; bytes: number; readonly next: Part };

const magic: Part = { kind: 'magic', bytes: 4 };
const block: Part = { kind: 'block', bytes: 3 };

/** The position of the stream in a frame. Small fields may be spread over chunks and are collected. */
class FrameWalk {
  #part: Part = magic;
  #field: number[] = [];
  #checksum = false;
  /** The four bytes, just completed, that begin a real frame: to be passed on now. */
  #begun: Uint8Array | undefined;

  get betweenFrames(): boolean {
    return this.#part === magic && this.#field.length === 0;
  }

  /** Returns the pieces of a chunk that belong to frames, each piece to one. */
  *cut(chunk: Uint8Array): Generator<Uint8Array> {
    let from = 0;
    for (let at = 0; at < chunk.length; ) {
      const { length, kept } = this.#next(chunk.subarray(at));
      at += length;
      if (this.#begun !== undefined) yield this.#begun;
      if (kept && this.betweenFrames) yield chunk.subarray(from, at);
      if (!kept || this.betweenFrames) from = at;
    }
    if (from < chunk.length) yield chunk.subarray(from);
  }

  /** Returns how many bytes belong together, and if they are passed on. */
  #next(bytes: Uint8Array): Readonly<{ length: number; kept: boolean }> {
    this.#begun = undefined;
    const part = this.#part;
    if (part.kind === 'pass' || part.kind === 'skip') {
      const length = Math.min(part.bytes, bytes.length);
      const left = part.bytes - length;
      this.#part = left === 0 ? part.next : { ...part, bytes: left };
      return { length, kept: part.kind === 'pass' };
    }
    const length = Math.min(part.bytes - this.#field.length, bytes.length);
    this.#field.push(...bytes.subarray(0, length));
    if (this.#field.length === part.bytes) {
      const field = Buffer.from(this.#field);
      this.#field = [];
      this.#part = this.#after(part.kind, field);
    }
    return { length, kept: part.kind === 'descriptor' || part.kind === 'block' };
  }

  #after(kind: 'magic' | 'skippable-size' | 'descriptor' | 'block', field: Buffer): Part {
    if (kind === 'magic') return this.#afterMagic(field);
    if (kind === 'skippable-size') return passed('skip', field.readUInt32LE(), magic);
    if (kind === 'descriptor') return this.#afterDescriptor(field.readUInt8());
    return this.#afterBlock(field.readUIntLE(0, 3));
  }

  #afterMagic(field: Buffer): Part {
    const number = field.readUInt32LE();
    if ((number & 0xfffffff0) >>> 0 === SKIPPABLE) return { kind: 'skippable-size', bytes: 4 };
    if (number !== MAGIC) throw new Error('it is not zstd');
    this.#begun = field;
    return { kind: 'descriptor', bytes: 1 };
  }

  #afterDescriptor(descriptor: number): Part {
    this.#checksum = (descriptor & 0b100) !== 0;
    const single = (descriptor & 0b10_0000) !== 0;
    const contentSize = [single ? 1 : 0, 2, 4, 8][descriptor >> 6] ?? 0;
    const dictionary = [0, 1, 2, 4][descriptor & 0b11] ?? 0;
    return passed('pass', (single ? 0 : 1) + dictionary + contentSize, block);
  }

  #afterBlock(header: number): Part {
    const repeated = ((header >> 1) & 0b11) === 1;
    const end = this.#checksum ? passed('pass', 4, magic) : magic;
    return passed('pass', repeated ? 1 : header >> 3, (header & 1) === 1 ? end : block);
  }
}

const passed = (kind: 'pass' | 'skip', bytes: number, next: Part): Part => (bytes === 0 ? next : { kind, bytes, next });
