import type { PackageRecord } from '#core/catalog/model/package-record';
import { CachedValues } from './cached-values.js';
import type { ProblemStore } from './problem-store.port.js';

/** Package records, kept in this process: problems of a fleet share most of theirs. */
export class RecordCache extends CachedValues<PackageRecord> {
  /** `maxBytes`: of the records as JSON. */
  constructor(store: Pick<ProblemStore, 'getRecord'>, maxBytes: number) {
    super((hash) => store.getRecord(hash), maxBytes);
  }
}
