import type { PackageRecord } from '#core/catalog/model/package-record';

/** Records that a thread must be sent and may forget before it solves a problem. */
export type RecordChange = Readonly<{ add: ReadonlyMap<string, PackageRecord>; forget: readonly string[] }>;

/** Entries of all records that one thread keeps: some tens of MiB with the data computed from them. */
const MAX_ENTRIES = 10_000;

/**
 * The package records that a thread holds, tracked from outside: sending one to a thread copies it, and data
 * computed from it stays with the copy, so a record is not sent twice. The least recently used go first.
 */
export class HeldRecords {
  /** Number of entries by hash, the least recently used first. */
  readonly #sizes = new Map<string, number>();
  #entries = 0;

  constructor(private readonly maxEntries = MAX_ENTRIES) {}

  /** Returns the change after which the thread holds these records. The caller must send it. */
  take(records: ReadonlyMap<string, PackageRecord>): RecordChange {
    const add = new Map<string, PackageRecord>();
    for (const [hash, record] of records) {
      if (!this.#remove(hash)) add.set(hash, record);
      this.#sizes.set(hash, record.entries.length);
      this.#entries += record.entries.length;
    }
    const forget: string[] = [];
    for (const hash of this.#sizes.keys()) {
      if (this.#entries <= this.maxEntries || records.has(hash)) break;
      this.#remove(hash);
      forget.push(hash);
    }
    return { add, forget };
  }

  #remove(hash: string): boolean {
    const size = this.#sizes.get(hash);
    if (size === undefined) return false;
    this.#entries -= size;
    return this.#sizes.delete(hash);
  }
}
