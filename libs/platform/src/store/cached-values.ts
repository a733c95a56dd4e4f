import { LRUCache } from 'lru-cache';

/**
 * Values of the store by hash, kept in this process; the least recently used ones leave first. A value with a
 * hash never changes, so that kept values are never stale.
 */
export class CachedValues<V extends {}> {
  readonly #held: LRUCache<string, V>;
  readonly #reading = new Map<string, Promise<V | undefined>>();

  /** `maxBytes`: of the values as JSON; parsed, they take two to three times as much memory. */
  constructor(
    private readonly read: (hash: string) => Promise<V | undefined>,
    maxBytes: number,
  ) {
    // The library takes no size of 0; no value has one byte as JSON.
    this.#held = new LRUCache<string, V>({ maxSize: Math.max(maxBytes, 1), sizeCalculation: bytesOf });
  }

  /** Returns the value. Returns undefined if the store does not have it either; that is not remembered. */
  async get(hash: string): Promise<V | undefined> {
    const held = this.#held.get(hash);
    if (held !== undefined) return held;
    const reading = this.#reading.get(hash) ?? this.#read(hash).finally(() => this.#reading.delete(hash));
    this.#reading.set(hash, reading);
    return reading;
  }

  async #read(hash: string): Promise<V | undefined> {
    const value = await this.read(hash);
    if (value !== undefined) this.#held.set(hash, value);
    return value;
  }
}

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));
