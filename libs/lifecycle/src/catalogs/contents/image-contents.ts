import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { indexStored } from '#core/catalog/model/stored-index';
import type { CatalogIndex } from '#core/classic/resolution/problem/catalog-slice';
import { FlotillaError, type Retry } from '#core/kernel/errors/flotilla.error';
import type { ContentStore, Digest } from '#platform/content/content-store.port';
import { DiskProvenance } from '#platform/content/disk-provenance';
import type { Provenance } from '#platform/content/provenance.port';
import { WorkRoom, type WorkShare } from '#platform/content/work-room';
import { Demand } from '#platform/fairness/demand';
import { FairLimiter } from '#platform/fairness/fair-limiter';
import { pullCatalogTo } from '#platform/registry/catalog-image';
import { atDigest, parseImageReference } from '#platform/registry/client/image-reference';
import type { RegistryClient, RegistryCredentials } from '#platform/registry/client/registry-client.port';
import { type EndedImages, lastingImage } from '#platform/registry/image/ended-images';
import { FailedPulls } from '#platform/registry/image/failed-pulls';
import { ReaderEnded } from '#platform/registry/image/layers/layers-reader.port';
import { repositoryOf } from '#platform/registry/logins/access-key';
import { CatalogReader } from './catalog-reader.js';
import { type ContentDescriptor, ContentDescriptors, DigestText } from './content-descriptor.js';
import { READ_VERSION, type ReadCatalog, type ReadModel } from './read-catalog.js';
import { WorkFolder } from './work-folder.js';

/** The held content of a catalog image: the part to serve, and the part to resolve from. */
export type HeldContent =
  | Readonly<{ unreadable: string }>
  | Readonly<{ content: Digest; problems: readonly string[] }>
  | Readonly<{ content: Digest; index: CatalogIndex; packages: number }>;

/** Stored next to the records: the index entry of each, and the manifests they name. */
const Model = z.strictObject({
  summaries: z.array(
    z.strictObject({
      name: z.string(),
      hash: z.string(),
      bytes: z.number().int().min(0),
      offers: z.strictObject({ packages: z.array(z.string()), apis: z.array(z.string()), labels: z.array(z.string()) }),
    }),
  ),
  inline: z.array(DigestText),
});

/** Shared limits: downloads, and the disk for unpacked images. Without bounds by default. */
export type ImageLimits = Readonly<{ pulls: FairLimiter; room: WorkRoom }>;

const unlimited = (): ImageLimits => ({
  pulls: new FairLimiter({ total: 1_000, perCluster: 1_000, perNamespace: 1_000 }),
  room: new WorkRoom(),
});

/** The image to load, and its owner. */
type ImageAsking = Readonly<{
  credentials?: RegistryCredentials;
  demand: Demand;
  /** The repository, asked with these logins, has just named the digest. */
  reported: boolean;
}>;

const NOT_KEPT =
  'the content store had no room for it: raise FLOTILLA_CONTENT_MAX_BYTES, so that all catalogs fit together';

/**
 * Error for a catalog without a known result: reading it took too long or too much memory, or the disk
 * failed.
 */
class CatalogNotRead extends FlotillaError {
  readonly code = 'CatalogNotRead';
  readonly retry: Retry = 'backoff';
  constructor(
    reference: string,
    because: string,
    /** Another reading costs as much and ends in the same way. */
    readonly isOfContent = false,
  ) {
    super(`catalog ${reference} could not be read: ${because}`);
  }
}

/**
 * Pulls catalog images to disk, has them read, and finds those that this process or an earlier one has read.
 */
export class ImageContents {
  readonly #descriptors: ContentDescriptors;
  readonly #provenance: Provenance;
  readonly #work: WorkFolder;
  readonly #unread: FailedPulls;
  /** Contents by digest of the image, so that all callers with a right to the content share its index. */
  readonly #contents = new Map<Digest, Promise<HeldContent | undefined>>();

  /** `directory`: for descriptors and work in progress; of this process alone. */
  constructor(
    private readonly registry: RegistryClient,
    private readonly store: ContentStore,
    directory: string,
    private readonly reader: Pick<CatalogReader, 'read'> = new CatalogReader(),
    private readonly limits: ImageLimits = unlimited(),
    private readonly ended?: EndedImages,
  ) {
    this.#unread = new FailedPulls(Date.now, isUnreadable, ended);
    this.#descriptors = new ContentDescriptors(join(directory, 'catalogs'));
    this.#provenance = new DiskProvenance(join(directory, 'provenance'));
    this.#work = new WorkFolder(join(directory, 'work'));
  }

  /**
   * Returns the content of the image that `reference` names, at that digest. Content that was read before is
   * given only if the repository that gave it confirms the digest. If the repository has not just done so
   * with these logins, it is asked here. Any other repository must give the image first: a digest is no proof
   * that the caller may have the content.
   * @throws RegistryError, or {@link CatalogNotRead}
   */
  async of(reference: string, digest: Digest, asking: ImageAsking): Promise<HeldContent> {
    const { demand, reported } = asking;
    const options = pullOptions(asking, demand.signal);
    if (await this.#provenance.has(digest, sourceOf(reference))) {
      const known = await this.#known(digest);
      if (known !== undefined && !reported) await this.registry.resolve(atDigestOf(reference, digest), options);
      if (known !== undefined) return known;
    }
    const key = `${this.registry.access(reference, options)} ${digest}`;
    const lasting = lastingImage(reference, digest);
    // A user without a login for the image learns nothing of it.
    if (!reported && this.ended?.find(lasting.key) !== undefined) {
      await this.registry.resolve(atDigestOf(reference, digest), options);
    }
    const content = await this.#unread.guard(key, () => this.#pull(reference, digest, asking), lasting);
    await this.#provenance.add(digest, sourceOf(reference));
    return content;
  }

  /** Notes that the repository gave this content to the hub's own login. */
  async noteOwn(reference: string, digest: Digest): Promise<void> {
    await this.#provenance.add(digest, ownSourceOf(reference));
  }

  /**
   * Returns content that the repository once gave to the hub's own login, if it is still here. Used while the
   * registry is unreachable.
   */
  async givenToOwn(reference: string, digest: Digest): Promise<HeldContent | undefined> {
    return (await this.#provenance.has(digest, ownSourceOf(reference))) ? this.#known(digest) : undefined;
  }

  /** Forgets, in memory, contents that are not used. */
  retain(used: ReadonlySet<string>): void {
    for (const digest of this.#contents.keys()) if (!used.has(digest)) this.#contents.delete(digest);
  }

  /** Pulls the whole image, and reads it unless the same content was read before. */
  async #pull(reference: string, digest: Digest, asking: ImageAsking): Promise<HeldContent> {
    const work = await this.#work.begin();
    const [owner = { cluster: '', namespace: '' }] = asking.demand.owners();
    const share = this.limits.room.open(owner);
    try {
      return await this.#pullInto(work, share, { reference, digest, asking });
    } finally {
      await rm(work, { recursive: true, force: true });
      share.close();
    }
  }

  async #pullInto(
    work: string,
    share: WorkShare,
    { reference, digest, asking }: Readonly<{ reference: string; digest: Digest; asking: ImageAsking }>,
  ): Promise<HeldContent> {
    const { demand } = asking;
    const signal = AbortSignal.any([demand.signal, share.signal]);
    const output = join(work, 'read');
    await mkdir(output, { mode: 0o700 });
    const directory = join(work, 'files');
    const options = { ...pullOptions(asking, signal), onDisk: share.take };
    const at = atDigestOf(reference, digest);
    await this.limits.pulls.run(demand, () => pullCatalogTo(this.registry, at, directory, options));
    const known = await this.#known(digest);
    if (known !== undefined) return known;
    const read = await this.reader.read({ directory, output }, { demand, signal, onDisk: share.take });
    if ('undecided' in read) {
      const error = new CatalogNotRead(reference, read.undecided, read.isOfContent);
      throw read.outOfMemory ? new ReaderEnded(reference, error.message) : error;
    }
    const descriptor: ContentDescriptor = { v: READ_VERSION, image: digest, read: await this.#store(read) };
    await this.#descriptors.put(descriptor);
    // A load of another caller that began before the descriptor was written finds
    // nothing: the second one does.
    const kept = (await this.#known(digest)) ?? (await this.#known(digest));
    if (kept === undefined) throw new CatalogNotRead(reference, NOT_KEPT);
    return kept;
  }

  /**
   * Returns the content that this process or an earlier one has read of the image. This proves no right of a
   * caller.
   */
  #known(digest: Digest): Promise<HeldContent | undefined> {
    const loaded = this.#contents.get(digest);
    if (loaded !== undefined) return loaded;
    const loading = this.#stored(digest);
    this.#contents.set(digest, loading);
    const forget = () => {
      if (this.#contents.get(digest) === loading) this.#contents.delete(digest);
    };
    loading.then((content) => content ?? forget(), forget);
    return loading;
  }

  async #stored(digest: Digest): Promise<HeldContent | undefined> {
    const descriptor = await this.#descriptors.get(digest);
    return descriptor && this.#held(descriptor);
  }

  async #store(read: ReadCatalog): Promise<ContentDescriptor['read']> {
    if ('unreadable' in read) return read;
    const content = await this.store.putFile(read.content);
    if ('problems' in read) return { content, problems: [...read.problems] };
    return { content, ...(await this.#storeModel(read.model)) };
  }

  async #storeModel({ records, summaries, inline }: ReadModel): Promise<{ records: Digest; model: Digest }> {
    const manifests: Digest[] = [];
    for (const file of inline) manifests.push(await this.store.putFile(file));
    const model = await this.store.put(Buffer.from(JSON.stringify({ summaries, inline: manifests })));
    return { records: await this.store.putFile(records), model };
  }

  /**
   * Returns the held content. Undefined if part of it has left the content store: it is then pulled and read
   * again.
   */
  async #held({ read }: ContentDescriptor): Promise<HeldContent | undefined> {
    if ('unreadable' in read) return read;
    if (!(await this.store.holds(read.content))) return undefined;
    if ('problems' in read) return read;
    const [lines, text] = await Promise.all([this.store.get(read.records), this.store.get(read.model)]);
    if (lines === undefined || text === undefined) return undefined;
    const { summaries, inline } = Model.parse(JSON.parse(Buffer.from(text).toString()));
    const manifests = await Promise.all(inline.map((digest) => this.store.holds(digest)));
    if (manifests.includes(false)) return undefined;
    return { content: read.content, index: indexStored(summaries, lines), packages: summaries.length };
  }
}

const pullOptions = ({ credentials }: ImageAsking, signal: AbortSignal) => ({
  ...(credentials && { credentials }),
  signal,
});
const isUnreadable = (error: Error): boolean =>
  error instanceof ReaderEnded || (error instanceof CatalogNotRead && error.isOfContent);

const sourceOf = (reference: string): string => repositoryOf(parseImageReference(reference));
const ownSourceOf = (reference: string): string => `${sourceOf(reference)} with the hub's own login`;
const atDigestOf = (reference: string, digest: Digest): string => atDigest(parseImageReference(reference), digest).text;
