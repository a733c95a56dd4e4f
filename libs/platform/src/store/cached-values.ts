type Held<V> = Readonly<{ value: V; bytes: number }>;

/**
 * Values of the store by hash, kept in this process; the least recently used ones leave first. What has a
 * hash never changes, so that what is kept is never stale.
 */
export class CachedValues<V> {
  readonly #held = new Map<string, Held<V>>();
  readonly #reading = new Map<string, Promise<V | undefined>>();
  #bytes = 0;

  /** `maxBytes`: of the values as JSON; parsed, they take two to three times as much memory. */
  constructor(
    private readonly read: (hash: string) => Promise<V | undefined>,
    private readonly maxBytes: number,
  ) {}

  /** Undefined where the store does not have it either; that is not remembered. */
  async get(hash: string): Promise<V | undefined> {
    const held = this.#held.get(hash);
    if (held !== undefined) {
      this.#held.delete(hash);
      this.#held.set(hash, held);
      return held.value;
    }
    const reading = this.#reading.get(hash) ?? this.#read(hash).finally(() => this.#reading.delete(hash));
    this.#reading.set(hash, reading);
    return reading;
  }

  async #read(hash: string): Promise<V | undefined> {
    const value = await this.read(hash);
    if (value !== undefined) this.#hold(hash, value);
    return value;
  }

  #hold(hash: string, value: V): void {
    const bytes = Buffer.byteLength(JSON.stringify(value));
    if (bytes > this.maxBytes) return;
    this.#held.set(hash, { value, bytes });
    this.#bytes += bytes;
    for (const [oldest, { bytes: freed }] of this.#held) {
      if (this.#bytes <= this.maxBytes) return;
      this.#held.delete(oldest);
      this.#bytes -= freed;
    }
  }
}
