/** Reads a given number of bytes of a stream of chunks. Takes a chunk only when it is needed. */
export class ByteReader {
  readonly #chunks: AsyncIterator<Uint8Array>;
  /** Arrived and not read yet. */
  #chunk: Uint8Array = new Uint8Array();

  constructor(chunks: AsyncIterable<Uint8Array>) {
    this.#chunks = chunks[Symbol.asyncIterator]();
  }

  /** The next bytes, `most` at most. Returns undefined at the end. */
  async some(most: number): Promise<Uint8Array | undefined> {
    while (this.#chunk.length === 0) {
      const next = await this.#chunks.next();
      if (next.done === true) return undefined;
      this.#chunk = next.value;
    }
    const bytes = this.#chunk.subarray(0, most);
    this.#chunk = this.#chunk.subarray(bytes.length);
    return bytes;
  }

  /** The next `count` bytes, fewer at the end. */
  async exactly(count: number): Promise<Uint8Array> {
    const first = (await this.some(count)) ?? new Uint8Array();
    if (first.length === count) return first;
    const parts = [first];
    for (let left = count - first.length; left > 0; ) {
      const part = await this.some(left);
      if (part === undefined) break;
      parts.push(part);
      left -= part.length;
    }
    return Buffer.concat(parts);
  }

  /** Skips `count` bytes. Returns how many were missing at the end. */
  async skip(count: number): Promise<number> {
    let left = count;
    while (left > 0) {
      const part = await this.some(left);
      if (part === undefined) return left;
      left -= part.length;
    }
    return 0;
  }

  /** Reads the rest, so that its source is done. */
  async drain(): Promise<void> {
    this.#chunk = new Uint8Array();
    while ((await this.#chunks.next()).done !== true);
  }

  /** Ends the source early. */
  async close(): Promise<void> {
    await this.#chunks.return?.();
  }
}
