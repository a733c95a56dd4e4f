/** `sha256:` and 64 lower-case hex digits. */
export type Digest = `sha256:${string}`;

/**
 * Bytes by digest: a cache that can be refilled from the registry, never the only copy of anything (decision: losing it
 * loses nothing). `put` is atomic: a killed process leaves no half blob that `get` would return.
 */
export abstract class ContentStore {
  /** The bytes, verified against the digest; undefined where they are not held. */
  abstract get(digest: Digest): Promise<Uint8Array | undefined>;
  abstract put(bytes: Uint8Array): Promise<Digest>;
}
