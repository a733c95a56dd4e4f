import type { Digest } from './content-store.port.js';

/**
 * Remembers the sources that gave content whole, so that its digest proved right. A content store shares
 * bytes; provenance decides rights. Content is taken from the store only for a source that gave it before.
 * Losing an entry costs one more pull.
 */
export abstract class Provenance {
  /** True if `source`, such as the name of a repository with its host, gave the content of this digest. */
  abstract has(digest: Digest, source: string): Promise<boolean>;
  /** Never rejects: an entry that cannot be kept is one that was lost. */
  abstract add(digest: Digest, source: string): Promise<void>;
}
