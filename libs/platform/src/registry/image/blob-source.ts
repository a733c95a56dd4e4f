import { createHash } from 'node:crypto';
import type { ContentStore, Digest } from '../../store/content-store.port.js';
import { RegistryError } from '../registry-client.port.js';
import type { RegistryTransport, Session } from '../registry-transport.js';
import type { Descriptor } from './image-manifest.js';

export type Consume<T> = (bytes: ReadableStream<Uint8Array>) => Promise<T>;

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
   * Streams a blob into `consume` and gives its result once the digest has proved right. A wrong digest counts before
   * whatever `consume` found wrong with the bytes. `consume` may be called again when the connection breaks.
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
    return this.transport.retrying(session, async () => {
      const response = await this.transport.send(session, url, {});
      return new VerifiedBlob(session, blob, consume).read(response.body ?? ReadableStream.from([]), (error) =>
        this.transport.brokenConnection(session, url, error),
      );
    });
  }
}

/** All bytes of a stream. */
export async function collected(stream: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** One blob on its way: hashed chunk by chunk beside the consumer, which may fail without stopping the hashing. */
class VerifiedBlob<T> {
  readonly #hash = createHash('sha256');
  readonly #pipe = new TransformStream<Uint8Array, Uint8Array>();
  readonly #writer = this.#pipe.writable.getWriter();
  #received = 0;
  #failure: unknown;

  constructor(
    private readonly session: Session,
    private readonly blob: Descriptor,
    private readonly consume: Consume<T>,
  ) {}

  async read(body: AsyncIterable<Uint8Array>, broken: (error: unknown) => Error): Promise<T> {
    const consumed = this.consume(this.#pipe.readable);
    const settled = consumed.then(
      () => undefined,
      (error: unknown) => {
        this.#failure = error;
      },
    );
    try {
      for await (const chunk of body) await this.#take(chunk, settled);
    } catch (error) {
      await this.#writer.abort(error).catch(() => undefined);
      await settled;
      this.session.signal.throwIfAborted();
      throw error instanceof RegistryError ? error : broken(error);
    }
    await this.#verify(settled);
    await Promise.race([this.#writer.close().catch(() => undefined), settled]);
    return consumed;
  }

  async #take(chunk: Uint8Array, settled: Promise<void>): Promise<void> {
    this.#received += chunk.length;
    const { size, digest } = this.blob;
    if (this.#received > size) {
      throw this.session.refuse('DigestMismatch', `blob ${digest} is longer than the ${size} bytes of the manifest`);
    }
    this.#hash.update(chunk);
    if (this.#failure === undefined) await Promise.race([this.#writer.write(chunk).catch(() => undefined), settled]);
    // A bomb need not be read to its end; anything else wrong with the content may come from a wrong digest.
    if (this.#failure instanceof RegistryError && this.#failure.failure === 'TooLarge') throw this.#failure;
  }

  async #verify(settled: Promise<void>): Promise<void> {
    const actual = `sha256:${this.#hash.digest('hex')}`;
    const { digest, size } = this.blob;
    if (actual === digest && this.#received === size) return;
    const ended = this.#received < size ? ` (it ended after ${this.#received} of ${size} bytes)` : '';
    const error = this.session.refuse(
      'DigestMismatch',
      `the registry sent content with digest ${actual} where the image names ${digest}${ended}: push the image again`,
    );
    await this.#writer.abort(error).catch(() => undefined);
    await settled;
    throw error;
  }
}
