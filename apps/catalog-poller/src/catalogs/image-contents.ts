import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { FlotillaError, type Retry } from '#core/errors/flotilla.error';
import type { CatalogIndex } from '#core/resolution/catalog-slice';
import { indexStored } from '#core/resolution/stored-index';
import { pullCatalogTo } from '#platform/registry/catalog-image';
import { atDigest, parseImageReference } from '#platform/registry/image-reference';
import type { PullOptions, RegistryClient } from '#platform/registry/registry-client.port';
import type { ContentStore, Digest } from '#platform/store/content-store.port';
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
  readonly #work: string;
  #swept: Promise<void> | undefined;

  /** `directory`: for descriptors and for work under way; of this process alone. */
  constructor(
    private readonly registry: RegistryClient,
    private readonly store: ContentStore,
    directory: string,
    private readonly reader: Pick<CatalogReader, 'read'> = new CatalogReader(),
  ) {
    this.#descriptors = new ContentDescriptors(join(directory, 'catalogs'));
    this.#work = join(directory, 'work');
  }

  /** The content of the image that `reference` names, at that digest. Throws RegistryError, or {@link CatalogNotRead}. */
  async of(reference: string, digest: Digest, options: PullOptions): Promise<HeldContent> {
    const known = await this.#descriptors.get(digest);
    const held = known && (await this.#held(known));
    if (held !== undefined) return held;
    this.#swept ??= this.#sweep();
    await this.#swept;
    const work = join(this.#work, randomUUID());
    try {
      const output = join(work, 'read');
      await mkdir(output, { recursive: true, mode: 0o700 });
      const directory = join(work, 'files');
      await pullCatalogTo(this.registry, atDigest(parseImageReference(reference), digest).text, directory, options);
      const read = await this.reader.read({ directory, output });
      if ('undecided' in read) throw new CatalogNotRead(reference, read.undecided);
      const descriptor: ContentDescriptor = { v: READ_VERSION, image: digest, read: await this.#store(read) };
      await this.#descriptors.put(descriptor);
      const kept = await this.#held(descriptor);
      if (kept === undefined) throw new CatalogNotRead(reference, NOT_KEPT);
      return kept;
    } finally {
      await rm(work, { recursive: true, force: true });
    }
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
