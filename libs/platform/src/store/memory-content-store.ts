import { ContentStore, type Digest } from './content-store.port.js';
import { digestOf } from './digest.js';

/** Content within one process, unbounded: for tests and one-off commands. */
export class MemoryContentStore extends ContentStore {
  readonly #blobs = new Map<Digest, Uint8Array>();

  async get(digest: Digest): Promise<Uint8Array | undefined> {
    return this.#blobs.get(digest)?.slice();
  }

  async put(bytes: Uint8Array): Promise<Digest> {
    const digest = digestOf(bytes);
    this.#blobs.set(digest, bytes.slice());
    return digest;
  }
}
