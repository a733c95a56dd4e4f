import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { FlotillaError, type Retry } from '#core/errors/flotilla.error';
import type { CatalogIndex } from '#core/resolution/catalog-slice';
import { indexStored } from '#core/resolution/stored-index';
import { repositoryOf } from '#platform/registry/access-key';
import { pullCatalogTo } from '#platform/registry/catalog-image';
import { atDigest, parseImageReference } from '#platform/registry/image-reference';
import type { PullOptions, RegistryClient } from '#platform/registry/registry-client.port';
import type { ContentStore, Digest } from '#platform/store/content-store.port';
import { DiskProvenance } from '#platform/store/disk-provenance';
import type { Provenance } from '#platform/store/provenance.port';
import { CatalogReader } from './catalog-reader.js';
import { type ContentDescriptor, ContentDescriptors, DigestText } from './content-descriptor.js';
import { READ_VERSION, type ReadCatalog, type ReadModel } from './read-catalog.js';

/** A catalog image's content as it is held: what can be served of it, and what can be resolved from. */
export type HeldContent =
  | Readonly<{ unreadable: string }>
  | Readonly<{ content: Digest; problems: readonly string[] }>
  | Readonly<{ content: Digest; index: CatalogIndex; packages: number }>;

/** Stored beside the records: what the index keeps of each, and which manifests they name. */
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

/** No pull or read takes so long: what is older was left behind by a killed process. */
const ABANDONED_AFTER_MS = 60 * 60_000;

const NOT_KEPT =
  'the content store did not keep it: is FLOTILLA_CONTENT_MAX_BYTES large enough for all catalogs together?';

/** Nothing is known of the catalog: reading it took too long or too much memory, or the disk failed. */
export class CatalogNotRead extends FlotillaError {
  readonly code = 'CatalogNotRead';
  readonly retry: Retry = 'backoff';
  constructor(reference: string, because: string) {
    super(`catalog ${reference} could not be read: ${because}`);
  }
}

/** Pulls catalog images to disk, has them read there, and finds what was read before, by this process or an earlier one. */
export class ImageContents {
  readonly #descriptors: ContentDescriptors;
  readonly #provenance: Provenance;
  readonly #work: string;
  /** By digest of the image, so that all who may have a content share its index. */
  readonly #contents = new Map<Digest, Promise<HeldContent | undefined>>();
  #swept: Promise<void> | undefined;

  /** `directory`: for descriptors and for work under way; of this process alone. */
  constructor(
    private readonly registry: RegistryClient,
    private readonly store: ContentStore,
    directory: string,
    private readonly reader: Pick<CatalogReader, 'read'> = new CatalogReader(),
  ) {
    this.#descriptors = new ContentDescriptors(join(directory, 'catalogs'));
    this.#provenance = new DiskProvenance(join(directory, 'provenance'));
    this.#work = join(directory, 'work');
  }

  /**
   * The content of the image that `reference` names, at that digest. What was read before is given only on the word of
   * the repository that gave it whole: `reported` says that the repository, asked with these logins, has just named the
   * digest; otherwise it is asked here. Any other repository has to give the image first: a digest is no proof that the
   * caller may have the content. Throws RegistryError, or {@link CatalogNotRead}.
   */
  async of(reference: string, digest: Digest, options: PullOptions, reported: boolean): Promise<HeldContent> {
    if (await this.#provenance.has(digest, sourceOf(reference))) {
      const known = await this.#known(digest);
      if (known !== undefined && !reported) await this.registry.resolve(atDigestOf(reference, digest), options);
      if (known !== undefined) return known;
    }
    const content = await this.#pull(reference, digest, options);
    await this.#provenance.add(digest, sourceOf(reference));
    return content;
  }

  /** Notes that the repository gave this content to the hub's own login. */
  async noteOwn(reference: string, digest: Digest): Promise<void> {
    await this.#provenance.add(digest, ownSourceOf(reference));
  }

  /** What the repository once gave to the hub's own login, as far as it is still here: for the time the registry is away. */
  async givenToOwn(reference: string, digest: Digest): Promise<HeldContent | undefined> {
    return (await this.#provenance.has(digest, ownSourceOf(reference))) ? this.#known(digest) : undefined;
  }

  /** Forgets, in memory, contents that are not used. */
  retain(used: ReadonlySet<string>): void {
    for (const digest of this.#contents.keys()) if (!used.has(digest)) this.#contents.delete(digest);
  }

  /** Pulls the whole image, and reads it unless the same content was read before. */
  async #pull(reference: string, digest: Digest, options: PullOptions): Promise<HeldContent> {
    this.#swept ??= this.#sweep();
    await this.#swept;
    const work = join(this.#work, randomUUID());
    try {
      const output = join(work, 'read');
      await mkdir(output, { recursive: true, mode: 0o700 });
      const directory = join(work, 'files');
      await pullCatalogTo(this.registry, atDigestOf(reference, digest), directory, options);
      const known = await this.#known(digest);
      if (known !== undefined) return known;
      const read = await this.reader.read({ directory, output });
      if ('undecided' in read) throw new CatalogNotRead(reference, read.undecided);
      const descriptor: ContentDescriptor = { v: READ_VERSION, image: digest, read: await this.#store(read) };
      await this.#descriptors.put(descriptor);
      // A load of another caller that began before the descriptor was written finds nothing: the second one does.
      const kept = (await this.#known(digest)) ?? (await this.#known(digest));
      if (kept === undefined) throw new CatalogNotRead(reference, NOT_KEPT);
      return kept;
    } finally {
      await rm(work, { recursive: true, force: true });
    }
  }

  /** What this process or an earlier one has read of the image; no proof that anybody may have it. */
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

  /** Undefined where the content store holds not all of it any more: it is then pulled and read anew. */
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

  async #sweep(): Promise<void> {
    for (const name of await readdir(this.#work).catch(() => [])) {
      const path = join(this.#work, name);
      const since = (await stat(path).catch(() => undefined))?.mtimeMs ?? 0;
      if (Date.now() - since > ABANDONED_AFTER_MS) await rm(path, { recursive: true, force: true });
    }
  }
}

const sourceOf = (reference: string): string => repositoryOf(parseImageReference(reference));
const ownSourceOf = (reference: string): string => `${sourceOf(reference)} with the hub's own login`;
const atDigestOf = (reference: string, digest: Digest): string => atDigest(parseImageReference(reference), digest).text;
