import type { ContentStore, Digest } from '../../store/content-store.port.js';
import type { Session } from '../http/session.js';
import type { RegistryTransport } from '../registry-transport.js';
import type { Descriptor } from './image-manifest.js';
import { type Consume, readVerified } from './verified-blob.js';

/** Blobs larger than this are streamed past the store: it hands out whole blobs in memory. */
const MAX_STORED_BYTES = 64 * 1024 * 1024;

/** Blobs of a registry, every one checked against its digest; kept in a content store where one is given. */
export class BlobSource {
  readonly #underway = new Map<Digest, Promise<unknown>>();

  constructor(
    private readonly transport: RegistryTransport,
    private readonly store?: ContentStore,
  ) {}

  /**
   * Streams a blob into `consume`, which is called once, and gives its result when the digest has proved right. A wrong
   * digest counts before whatever `consume` found wrong with the bytes.
   */
  async read<T>(session: Session, blob: Descriptor, consume: Consume<T>): Promise<T> {
    if (this.store === undefined || blob.size > MAX_STORED_BYTES) return this.stream(session, blob, consume);
    await this.#underway.get(blob.digest)?.catch(() => undefined);
    const held = await this.store.get(blob.digest);
    if (held !== undefined) return consume(ReadableStream.from([held]));
    const fetched = this.#fetchAndStore(session, blob, this.store, consume);
    this.#underway.set(blob.digest, fetched);
    try {
      return await fetched;
    } finally {
      if (this.#underway.get(blob.digest) === fetched) this.#underway.delete(blob.digest);
    }
  }

  async #fetchAndStore<T>(session: Session, blob: Descriptor, store: ContentStore, consume: Consume<T>): Promise<T> {
    const bytes = await this.stream(session, blob, collected);
    // A store that is full costs another pull some day, not this one.
    await store.put(bytes).catch(() => undefined);
    return consume(ReadableStream.from([bytes]));
  }

  /** As {@link read}, past the store. */
  stream<T>(session: Session, blob: Descriptor, consume: Consume<T>): Promise<T> {
    const url = this.transport.url(session.reference, `blobs/${blob.digest}`);
    return this.transport.transfer(session, url, () =>
      readVerified(blob, this.transport.resumed(session, url, blob.size), consume, session.refuse),
    );
  }
}

/** All bytes of a stream. */
export async function collected(stream: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks);
}
