/** `sha256:` and 64 lower-case hex digits. */
export type Digest = `sha256:${string}`;

/**
 * Held content, open to be read in parts; the caller that opened it closes it. It stays readable if
 * it is evicted meanwhile.
 */
export type OpenContent = Readonly<{
  /** Bytes. */
  size: number;
  /** Reads `length` bytes from offset `from` on; fewer if the content ends. */
  read(from: number, length: number): Promise<Uint8Array>;
  /** The whole content, if it is in memory. Readers do not change it. */
  held?: Uint8Array;
  close(): Promise<void>;
}>;

/**
 * Bytes by digest: a cache that can be refilled from the registry, never the only copy of anything
 * (decision: losing it loses nothing). `put` and `putFile` are atomic: a killed process leaves no half blob
 * that `get` would return.
 */
export abstract class ContentStore {
  /** Returns the bytes, verified against the digest. Returns undefined if they are not held. */
  abstract get(digest: Digest): Promise<Uint8Array | undefined>;
  /** True if the bytes are here; does not read them. */
  abstract holds(digest: Digest): Promise<boolean>;
  abstract put(bytes: Uint8Array): Promise<Digest>;
  /** Takes over a file of any size without reading it into memory; the path is free afterwards. */
  abstract putFile(path: string): Promise<Digest>;
  /**
   * Opens content too large for memory: verified once by this process, then trusted while its file is the
   * same.
   */
  abstract open(digest: Digest): Promise<OpenContent | undefined>;
}
