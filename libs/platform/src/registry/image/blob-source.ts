import type { ContentStore } from '../../content/content-store.port.js';
import type { Provenance } from '../../content/provenance.port.js';
import { type Descriptor, partName } from '../client/image-manifest.js';
import type { RegistryTransport } from '../http/registry-transport.js';
import type { Session } from '../http/session.js';
import { accessKey, repositoryOf } from '../logins/access-key.js';
import { type Consume, readVerified } from './verified-blob.js';

/** Blobs larger than this are streamed past the store: it hands out whole blobs in memory. */
const MAX_STORED_BYTES = 64 * 1024 * 1024;

/** A store of blobs, and the repositories that gave them. */
type KeptBlobs = Readonly<{ store: ContentStore; provenance: Provenance }>;

/**
 * Blobs of a registry, every one checked against its digest. They are kept in a content store if one is
 * given. A repository gets from the store only the blobs that it gave itself before: a digest in a manifest
 * of one registry must not open the blobs of another. The registry decided if the login may read the
 * repository when it gave the manifest.
 */
export class BlobSource {
  readonly #underway = new Map<string, Promise<Uint8Array>>();

  constructor(
    private readonly transport: RegistryTransport,
    private readonly kept?: KeptBlobs,
  ) {}

  /**
   * Streams a blob into `consume`, and returns its result when the digest has proved right. `consume` is
   * called once. A wrong digest counts before any fault that `consume` found in the bytes.
   */
  async read<T>(session: Session, blob: Descriptor, consume: Consume<T>): Promise<T> {
    if (this.kept === undefined || blob.size > MAX_STORED_BYTES) return this.stream(session, blob, consume);
    return consume(ReadableStream.from([await this.#once(session, blob, this.kept)]));
  }

  /**
   * Returns the result of another read under way, of the same blob with the same rights; otherwise reads it.
   */
  async #once(session: Session, blob: Descriptor, kept: KeptBlobs): Promise<Uint8Array> {
    const key = `${accessKey(session.source, [session.reference], session.credentials)} ${blob.digest}`;
    for (let other = this.#underway.get(key); other !== undefined; other = this.#underway.get(key)) {
      const bytes = await other.catch(() => undefined);
      if (bytes !== undefined) return bytes;
    }
    const own = this.#heldOrFetched(session, blob, kept);
    this.#underway.set(key, own);
    try {
      return await own;
    } finally {
      this.#underway.delete(key);
    }
  }

  async #heldOrFetched(session: Session, blob: Descriptor, kept: KeptBlobs): Promise<Uint8Array> {
    return (await this.#held(session, blob, kept)) ?? this.#fetchAndStore(session, blob, kept);
  }

  async #held({ source }: Session, { digest }: Descriptor, { store, provenance }: KeptBlobs) {
    return (await provenance.has(digest, repositoryOf(source))) ? store.get(digest) : undefined;
  }

  async #fetchAndStore(session: Session, blob: Descriptor, kept: KeptBlobs): Promise<Uint8Array> {
    const bytes = await this.stream(session, blob, collected);
    // A store that is full costs another pull some day, not this one.
    await kept.store.put(bytes).catch(() => undefined);
    await kept.provenance.add(blob.digest, repositoryOf(session.source));
    return bytes;
  }

  /** Like {@link read}, past the store. */
  stream<T>(session: Session, blob: Descriptor, consume: Consume<T>): Promise<T> {
    const url = this.transport.url(session.reference, `blobs/${blob.digest}`);
    const ofPart = { ...session, part: partName(blob) };
    return this.transport.transfer(session, url, () =>
      readVerified(blob, this.transport.resumed(ofPart, url, blob.size), consume, session.refuse),
    );
  }
}

/** All bytes of a stream. */
export async function collected(stream: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks);
}
