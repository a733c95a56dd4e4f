import type { PackageRecord } from '#core/catalog/model/package-record';
import type { ProblemStore } from './problem-store.port.js';

type Held = Readonly<{ record: PackageRecord; bytes: number }>;

/**
 * Package records of this process in front of the store, by hash, the least recently used ones leaving first.
 * A record never changes, so what is held is never stale; problems of a fleet share most of their records.
 */
export class RecordCache {
  readonly #held = new Map<string, Held>();
  readonly #reading = new Map<string, Promise<PackageRecord | undefined>>();
  #bytes = 0;

  /** `maxBytes`: of the records as JSON; parsed, they take two to three times as much memory. */
  constructor(
    private readonly store: Pick<ProblemStore, 'getRecord'>,
    private readonly maxBytes: number,
  ) {}

  /** Undefined where the store does not have it either; that is not remembered. */
  async get(hash: string): Promise<PackageRecord | undefined> {
    const held = this.#held.get(hash);
    if (held !== undefined) {
      this.#held.delete(hash);
      this.#held.set(hash, held);
      return held.record;
    }
    const reading = this.#reading.get(hash) ?? this.#read(hash).finally(() => this.#reading.delete(hash));
    this.#reading.set(hash, reading);
    return reading;
  }

  async #read(hash: string): Promise<PackageRecord | undefined> {
    const record = await this.store.getRecord(hash);
    if (record !== undefined) this.#hold(hash, record);
    return record;
  }

  #hold(hash: string, record: PackageRecord): void {
    const bytes = Buffer.byteLength(JSON.stringify(record));
    if (bytes > this.maxBytes) return;
    this.#held.set(hash, { record, bytes });
    this.#bytes += bytes;
    for (const [oldest, { bytes: freed }] of this.#held) {
      if (this.#bytes <= this.maxBytes) return;
      this.#held.delete(oldest);
      this.#bytes -= freed;
    }
  }
}
