import type { Digest } from './content-store.port.js';

/**
 * Which sources gave content whole, so that its digest proved right. A content store shares bytes, this
 * decides rights: content is taken from the store only for a source that gave it before. Losing an
 * entry costs one more pull.
 */
export abstract class Provenance {
  /** Whether `source`, such as the name of a repository with its host, gave the content of this digest. */
  abstract has(digest: Digest, source: string): Promise<boolean>;
  /** Never rejects: an entry that cannot be kept is one that was lost. */
  abstract add(digest: Digest, source: string): Promise<void>;
}
