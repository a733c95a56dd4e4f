import { canonicalHash, canonicalJson } from '#core/canonical/canonical-json';
import type { CatalogBundle } from '#core/catalog/catalog';
import { loadCatalog } from '#core/catalog/load-catalog';
import { validateCatalog } from '#core/catalog/validate-catalog';
import { FlotillaError, type Retry } from '#core/errors/flotilla.error';
import { type CatalogIndex, indexCatalog } from '#core/resolution/catalog-slice';
import { packageRecords } from '#core/resolution/package-records';
import type { PackageRecord } from '#core/resolution/resolution-problem';
import { pullCatalog } from '#platform/registry/catalog-image';
import type { GrpcCatalogClient } from '#platform/registry/grpc-catalog-client';
import { atDigest, parseImageReference } from '#platform/registry/image-reference';
import type { PullOptions, RegistryClient } from '#platform/registry/registry-client.port';
import type { ContentStore } from '#platform/store/content-store.port';

/** One catalog's content, ready to be resolved from; shared by every cluster that uses the same content. */
export type LoadedCatalog = Readonly<{ digest: string; index: CatalogIndex; packages: number }>;

/** The image holds a catalog that OLM's registry would refuse to serve. */
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
  readonly #byDigest = new Map<string, Promise<LoadedCatalog>>();

  constructor(
    private readonly registry: RegistryClient,
    private readonly store: ContentStore,
  ) {}

  /** Asks the registry which digest the reference names now; pulls and indexes only what is not held. */
  async ofImage(reference: string, options: PullOptions): Promise<LoadedCatalog> {
    const digest = await this.registry.resolve(reference, options);
    return this.#once(digest, async () => {
      const { files } = await pullCatalog(
        this.registry,
        atDigest(parseImageReference(reference), digest).text,
        options,
      );
      const catalog = loadCatalog(files);
      const problems = validateCatalog(catalog);
      if (problems.length > 0)
        throw new InvalidCatalog(
          reference,
          problems.map(({ message }) => message),
        );
      await this.#keepInline(catalog.bundles);
      return this.#index(digest, packageRecords(catalog, inlineDigest));
    });
  }

  /** Lists everything a registry server offers. Content has no digest there: ours is over what was listed. */
  async ofAddress(client: GrpcCatalogClient): Promise<LoadedCatalog> {
    const { records, inline } = await client.snapshot();
    for (const objects of inline.values()) await this.store.put(bytesOf(objects));
    const digest = `sha256:${canonicalHash(records)}`;
    return this.#once(digest, async () => this.#index(digest, records));
  }

  /** Forgets contents that no CatalogSource uses any more. */
  retain(used: ReadonlySet<string>): void {
    for (const digest of this.#byDigest.keys()) if (!used.has(digest)) this.#byDigest.delete(digest);
  }

  #once(digest: string, load: () => Promise<LoadedCatalog>): Promise<LoadedCatalog> {
    const known = this.#byDigest.get(digest);
    if (known !== undefined) return known;
    const loading = load();
    this.#byDigest.set(digest, loading);
    loading.catch(() => this.#byDigest.delete(digest));
    return loading;
  }

  #index(digest: string, records: readonly PackageRecord[]): LoadedCatalog {
    return { digest, index: indexCatalog(records), packages: records.length };
  }

  async #keepInline(bundles: readonly CatalogBundle[]): Promise<void> {
    for (const bundle of bundles) {
      if (bundle.image === '' && bundle.objects.length > 0) await this.store.put(bytesOf(bundle.objects));
    }
  }
}

const bytesOf = (objects: unknown): Uint8Array => new TextEncoder().encode(canonicalJson(objects));
const inlineDigest = (bundle: CatalogBundle): string => `sha256:${canonicalHash(bundle.objects)}`;
