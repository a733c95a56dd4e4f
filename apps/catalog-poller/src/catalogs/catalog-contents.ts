import { canonicalHash } from '#core/canonical/canonical-json';
import type { GrpcRecords } from '#core/catalog/grpc-bundle';
import { FlotillaError, type Retry } from '#core/errors/flotilla.error';
import { type CatalogIndex, indexCatalog } from '#core/resolution/catalog-slice';
import type { PackageRecord } from '#core/resolution/resolution-problem';
import { pullCatalog } from '#platform/registry/catalog-image';
import { atDigest, parseImageReference } from '#platform/registry/image-reference';
import type { PullOptions, RegistryClient } from '#platform/registry/registry-client.port';
import type { ContentStore } from '#platform/store/content-store.port';
import { CatalogReader } from './catalog-reader.js';
import { manifestBytes, type ReadCatalog } from './read-catalog.js';

/** One catalog's content, ready to be resolved from; shared by every cluster that uses the same content. */
export type LoadedCatalog = Readonly<{
  /** What the registry calls it; for a registry server, our own digest of what it listed. */
  digest: string;
  /** Under which digest the content store serves it. */
  content: string;
  index: CatalogIndex;
  packages: number;
}>;

/** Invalid content is remembered too: a fleet that uses a broken image does not read it once for each cluster and try. */
type Content = LoadedCatalog | Extract<ReadCatalog, { problems: unknown }>;

/** The image holds a catalog that cannot be read, or that OLM's registry would refuse to serve. */
export class InvalidCatalog extends FlotillaError {
  readonly code = 'InvalidCatalog';
  readonly retry: Retry = 'when-input-changes';
  constructor(reference: string, problems: readonly string[]) {
    const more = problems.length > 3 ? ` (and ${problems.length - 3} more; "flotilla catalog validate" lists all)` : '';
    super(`catalog ${reference} is invalid: ${problems.slice(0, 3).join('; ')}${more}`);
  }
}

/** Loads catalogs, each content once: by digest for images, whoever asks and however often. */
export class CatalogContents {
  readonly #reader = new CatalogReader();
  readonly #byDigest = new Map<string, Promise<Content>>();

  constructor(
    private readonly registry: RegistryClient,
    private readonly store: ContentStore,
  ) {}

  /** Asks the registry which digest the reference names now; pulls and indexes only what is not held. */
  async ofImage(reference: string, options: PullOptions): Promise<LoadedCatalog> {
    const digest = await this.registry.resolve(reference, options);
    const content = await this.#once(digest, async () => {
      const image = atDigest(parseImageReference(reference), digest).text;
      const { files } = await pullCatalog(this.registry, image, options);
      const read = await this.#reader.read(files);
      if ('problems' in read) return read;
      for (const manifests of read.inline) await this.store.put(manifests);
      return loadedFrom(digest, await this.store.put(read.json), read.records);
    });
    return usable(reference, content);
  }

  /** What a registry server or a ConfigMap lists. Content has no digest there: ours is over what was listed. */
  async ofListing({ records, inline }: Pick<GrpcRecords, 'records' | 'inline'>): Promise<LoadedCatalog> {
    for (const objects of inline.values()) await this.store.put(manifestBytes(objects));
    const digest = `sha256:${canonicalHash(records)}`;
    const content = await this.#once(digest, async () =>
      loadedFrom(digest, await this.store.put(manifestBytes(records)), records),
    );
    return usable(digest, content);
  }

  /** Forgets contents that no CatalogSource uses any more. */
  retain(used: ReadonlySet<string>): void {
    for (const digest of this.#byDigest.keys()) if (!used.has(digest)) this.#byDigest.delete(digest);
  }

  #once(digest: string, load: () => Promise<Content>): Promise<Content> {
    const known = this.#byDigest.get(digest);
    if (known !== undefined) return known;
    const loading = load();
    this.#byDigest.set(digest, loading);
    loading.catch(() => this.#byDigest.delete(digest));
    return loading;
  }
}

const loadedFrom = (digest: string, content: string, records: readonly PackageRecord[]): LoadedCatalog => ({
  digest,
  content,
  index: indexCatalog(records),
  packages: records.length,
});

function usable(reference: string, content: Content): LoadedCatalog {
  if ('problems' in content) throw new InvalidCatalog(reference, content.problems);
  return content;
}
