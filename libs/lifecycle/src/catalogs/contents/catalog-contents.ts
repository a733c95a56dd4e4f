import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { GrpcRecords } from '#core/catalog/load/grpc-bundle';
import { type CatalogIndex, indexCatalog } from '#core/classic/resolution/problem/catalog-slice';
import { canonicalHash } from '#core/kernel/canonical/canonical-json';
import { FlotillaError, type Retry } from '#core/kernel/errors/flotilla.error';
import type { ContentStore, Digest } from '#platform/content/content-store.port';
import { Demand } from '#platform/fairness/demand';
import { SharedWork } from '#platform/fairness/shared-work';
import { parseImageReference } from '#platform/registry/client/image-reference';
import { type PullOptions, type RegistryClient, RegistryError } from '#platform/registry/client/registry-client.port';
import type { EndedImages } from '#platform/registry/image/ended-images';
import type { CatalogReader } from './catalog-reader.js';
import { type HeldContent, ImageContents, type ImageLimits } from './image-contents.js';
import { manifestBytes } from './read-catalog.js';

/** One catalog's content, ready for resolution; shared by every cluster that uses the same content. */
export type LoadedCatalog = Readonly<{
  /** The registry's digest of it. For a registry server: our own digest of its list. */
  digest: string;
  /** Digest of the catalog in the content store. */
  content: string;
  index: CatalogIndex;
  packages: number;
  /** Bundles and packages of a listing that could not be read, one line each. */
  leftOut?: readonly string[];
}>;

/** An image's blobs as they can be served, whether or not they make a valid catalog. */
type ServableCatalog = Readonly<{
  digest: Digest;
  /** Digest in the content store: every blob as a line of JSON with sorted keys, in load order. */
  content: Digest;
  /** Reasons why Classic would not resolve from it. Empty for a valid catalog. */
  problems: readonly string[];
}>;

/** Logins, and the owner of the demand: the hub itself by default. */
type ContentOptions = PullOptions & Readonly<{ demand?: Demand }>;

type HeldImage = Readonly<{ digest: Digest; held: HeldContent }>;

/** The image holds a catalog that cannot be read, or that OLM's registry would refuse to serve. */
export class InvalidCatalog extends FlotillaError {
  readonly code = 'InvalidCatalog';
  readonly retry: Retry = 'when-input-changes';
  constructor(
    reference: string,
    readonly problems: readonly string[],
  ) {
    const more = problems.length > 3 ? ` (and ${problems.length - 3} more; "flotilla catalog validate" lists all)` : '';
    super(`catalog ${reference} is invalid: ${problems.slice(0, 3).join('; ')}${more}`);
  }
}

/**
 * Loads catalogs, each content once: images by digest, whatever the number of callers, also after a restart.
 * Content is shared, the right to it is not. Each host, repository and login must name or give the image
 * itself, and no caller waits for the registry of another.
 *
 * OLM Classic (CatalogSources) resolves from {@link ofImage}, which insists on a valid catalog. OLM v1
 * (ClusterCatalogs) serves {@link servableImage}: well-formed blobs are enough there (spec: v1-catalog.md §1,
 * "Store"). So the problems of the model come in addition to the content instead of in its place, and only an
 * unreadable catalog is an error. Both share one pull and one reading of an image.
 */
export class CatalogContents {
  readonly #images: ImageContents;
  /**
   * Held content by digest of the image, then by access key. Unusable content is remembered too: a fleet that
   * uses a broken image does not read it once for each cluster and retry.
   */
  readonly #held = new Map<Digest, Map<string, HeldContent>>();
  readonly #loads = new SharedWork<HeldContent>();
  readonly #listings = new Map<string, Promise<LoadedCatalog>>();

  /**
   * `directory`, of this process alone: images are unpacked there, and a note is kept
   * of those that were read.
   */
  constructor(
    private readonly registry: RegistryClient,
    private readonly store: ContentStore,
    directory: string = join(tmpdir(), `flotilla-catalogs-${process.pid}`),
    reader?: Pick<CatalogReader, 'read'>,
    limits?: ImageLimits,
    private readonly ended?: EndedImages,
  ) {
    this.#images = new ImageContents(registry, store, directory, reader, limits, ended);
  }

  /**
   * Asks the registry for the digest that the reference names now. Pulls and reads only content that was not
   * read before.
   * @throws RegistryError, CatalogNotRead, and {@link InvalidCatalog} for a catalog that resolution cannot
   * use
   */
  async ofImage(reference: string, options: ContentOptions): Promise<LoadedCatalog> {
    const { digest, held } = await this.#heldImage(reference, options);
    if ('index' in held) return { digest, content: held.content, index: held.index, packages: held.packages };
    throw new InvalidCatalog(reference, 'problems' in held ? held.problems : [held.unreadable]);
  }

  /**
   * Like {@link ofImage}, for serving blobs with the hub's own logins. Throws {@link InvalidCatalog} only for
   * a catalog that cannot be read at all. The registry is asked once per login about a digest. Later, and
   * while it is unreachable after a restart, the content that it gave to the hub's own login is served.
   */
  async servableImage(reference: string, options: ContentOptions): Promise<ServableCatalog> {
    const named = parseImageReference(reference).digest;
    const { digest, held } = await this.#ownImage(reference, options, named);
    if ('unreadable' in held) throw new InvalidCatalog(reference, [held.unreadable]);
    return { digest, content: held.content, problems: 'problems' in held ? held.problems : [] };
  }

  /**
   * The listing of a registry server or a ConfigMap. Content has no digest there: ours is over the listing.
   */
  async ofListing({ records, inline, leftOut }: GrpcRecords): Promise<LoadedCatalog> {
    for (const objects of inline.values()) await this.store.put(manifestBytes(objects));
    const digest = `sha256:${canonicalHash(records)}`;
    const loaded = await once(this.#listings, digest, async () => ({
      digest,
      content: await this.store.put(manifestBytes(records)),
      index: indexCatalog(records),
      packages: records.length,
    }));
    return leftOut.length === 0 ? loaded : { ...loaded, leftOut };
  }

  /** Has an image read once more that ended the thread that read it before that time. */
  tryAgain(reference: string, before: number): void {
    this.ended?.tryAgain(reference, before);
  }

  /** Forgets contents that no CatalogSource uses any more. */
  retain(used: ReadonlySet<string>): void {
    for (const digest of this.#held.keys()) if (!used.has(digest)) this.#held.delete(digest);
    for (const digest of this.#listings.keys()) if (!used.has(digest)) this.#listings.delete(digest);
    this.#images.retain(used);
  }

  /**
   * An answer given while the registry is away is not remembered: the next caller asks the registry again.
   * There is none if images of this name must be signed: kept content has not been judged yet.
   */
  async #ownImage(reference: string, options: ContentOptions, named: Digest | undefined): Promise<HeldImage> {
    try {
      const found = await this.#heldImage(reference, options, named);
      await this.#images.noteOwn(reference, found.digest);
      return found;
    } catch (error) {
      const isAway = error instanceof RegistryError && error.failure === 'Unreachable';
      const isKept = isAway && !this.registry.asksForSignature(reference);
      const held = isKept && named !== undefined ? await this.#images.givenToOwn(reference, named) : undefined;
      if (held === undefined || named === undefined) throw error;
      return { digest: named, held };
    }
  }

  async #heldImage(reference: string, options: ContentOptions, named?: Digest): Promise<HeldImage> {
    const { demand = Demand.ofHub(options.signal), credentials } = options;
    const logins = credentials === undefined ? {} : { credentials };
    const digest = named ?? (await this.registry.resolve(reference, { ...logins, signal: demand.signal }));
    const access = this.registry.access(reference, logins);
    const known = this.#held.get(digest)?.get(access);
    if (known !== undefined) return { digest, held: known };
    const load = (all: Demand) =>
      this.#images.of(reference, digest, { ...logins, demand: all, reported: named === undefined });
    const held = await this.#loads.run(`${access} ${digest}`, demand, load);
    const byAccess = this.#held.get(digest) ?? new Map<string, HeldContent>();
    this.#held.set(digest, byAccess.set(access, held));
    return { digest, held };
  }
}

/** The value of the one load that is under way or done; a load that failed is forgotten. */
function once<T>(loads: Map<string, Promise<T>>, key: string, load: () => Promise<T>): Promise<T> {
  const known = loads.get(key);
  if (known !== undefined) return known;
  const loading = load();
  loads.set(key, loading);
  loading.catch(() => loads.delete(key));
  return loading;
}
