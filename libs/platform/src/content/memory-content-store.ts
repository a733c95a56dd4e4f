import { readFile, rm } from 'node:fs/promises';
import { ContentStore, type Digest, type OpenContent } from './content-store.port.js';
import { digestOf } from './digest.js';
import { contentInMemory } from './open-content.js';

/** Content within one process, unbounded: for tests and one-off commands. */
export class MemoryContentStore extends ContentStore {
  readonly #blobs = new Map<Digest, Uint8Array>();

  async get(digest: Digest): Promise<Uint8Array | undefined> {
    return this.#blobs.get(digest)?.slice();
  }

  async holds(digest: Digest): Promise<boolean> {
    return this.#blobs.has(digest);
  }

  async put(bytes: Uint8Array): Promise<Digest> {
    const digest = digestOf(bytes);
    this.#blobs.set(digest, bytes.slice());
    return digest;
  }

  async putFile(path: string): Promise<Digest> {
    const digest = await this.put(await readFile(path));
    await rm(path);
    return digest;
  }

  async open(digest: Digest): Promise<OpenContent | undefined> {
    const bytes = this.#blobs.get(digest);
    return bytes === undefined ? undefined : contentInMemory(bytes);
  }
}
