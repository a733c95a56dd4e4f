import { originOf } from '#core/classic/catalog-source/catalog-source-spec';
import { packageContent } from '#core/classic/package-manifest/package-content';
import { type PackageManifest, packageManifest } from '#core/classic/package-manifest/package-manifest';
import { CatalogSource } from '#core/kernel/api/catalog-source';
import { byCodeUnit } from '#core/kernel/canonical/canonical-json';
import type { ContentStore } from '#platform/content/content-store.port';
import { isDigest } from '#platform/content/digest';
import type { MetasLease, SharedMetas } from '../../catalogs/cluster-catalogs/shared-metas.js';
import type { LoadedCatalog } from '../../catalogs/contents/catalog-contents.js';
import type { CatalogRefresh } from '../../catalogs/sources/catalog-refresh.js';
import { headCsvs } from './head-csvs.js';

type Contents = Readonly<{ store: ContentStore; metas: SharedMetas }>;

type Shown = Readonly<{ source: CatalogSource; loaded: LoadedCatalog; inImage: boolean }>;
type Place = Readonly<{ name: string; shown: Shown }>;

/** The packages of some CatalogSources that serve, one after the other: only the current one is in memory. */
export class PackagesInSight {
  readonly #places: readonly Place[];
  readonly #leases = new Map<string, Promise<MetasLease>>();

  /**
   * Sorts packages of equal names: those of the `own` namespace come before those of others, then by catalog.
   */
  constructor(
    refreshes: readonly CatalogRefresh[],
    own: string | undefined,
    private readonly contents: Contents,
  ) {
    const rank = ({ shown: { source } }: Place) => Number(source.metadata.namespace !== own);
    const key = ({ shown: { source } }: Place) => `${source.metadata.namespace}/${source.metadata.name}`;
    this.#places = refreshes
      .flatMap(shownOf)
      .flatMap((shown) => shown.loaded.index.names.map((name) => ({ name, shown })))
      .toSorted((a, b) => byCodeUnit(a.name, b.name) || rank(a) - rank(b) || byCodeUnit(key(a), key(b)));
  }

  /** Returns the packages of one name, or all. A package without a readable CSV is left out. */
  async *manifests(name?: string): AsyncGenerator<PackageManifest> {
    try {
      for (const place of this.#places) {
        const manifest = name === undefined || place.name === name ? await this.#manifest(place) : undefined;
        if (manifest !== undefined) yield manifest;
      }
    } finally {
      for (const lease of this.#leases.values()) await lease.then(({ release }) => release()).catch(() => undefined);
      this.#leases.clear();
    }
  }

  async #manifest({ name, shown }: Place): Promise<PackageManifest | undefined> {
    const record = shown.loaded.index.package(name)?.record;
    if (record === undefined) return undefined;
    const blobs = shown.inImage ? (await this.#lease(shown.loaded.content)).content : undefined;
    const heads = await headCsvs(record, { store: this.contents.store, blobs });
    return packageManifest(packageContent(record, heads), shown.source);
  }

  #lease(content: string): Promise<MetasLease> {
    const known = this.#leases.get(content);
    if (known !== undefined) return known;
    if (!isDigest(content)) throw new Error(`${content} is not a digest`);
    const lease = this.contents.metas.acquire(content);
    this.#leases.set(content, lease);
    return lease;
  }
}

/** A catalog that resolution cannot use shows no packages, as under OLM. */
function shownOf({ source: raw, loaded, failure }: CatalogRefresh): Shown[] {
  const source = CatalogSource.safeParse(raw).data;
  if (source === undefined || loaded === undefined || failure !== undefined) return [];
  return [{ source, loaded, inImage: originOf(source).kind === 'image' }];
}
