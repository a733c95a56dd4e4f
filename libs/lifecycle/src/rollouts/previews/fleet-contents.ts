import type { ClusterCatalog } from '#core/kernel/api/cluster-catalog';
import {
  ClusterCatalogRefresh,
  type ClusterCatalogRefreshDeps,
} from '../../catalogs/cluster-catalogs/cluster-catalog-refresh.js';
import type { CatalogInSight } from '../../catalogs/cluster-catalogs/served-catalogs.js';

/** Owner in the fairness of pulls, in place of a cluster: these images are the fleet's. */
const FLEET_OWNER = 'fleet';

type FleetContentsDeps = Omit<ClusterCatalogRefreshDeps, 'cluster' | 'onState'> &
  Readonly<{
    /** Called when the content of a catalog is there, or is not available for now. */
    onContent: () => void;
  }>;

type Held = Readonly<{ refresh: ClusterCatalogRefresh }> & { askedAt: number };

/**
 * The content of FleetCatalogs as OLM v1 reads it, by image with its digest: for the previews of clusters
 * that do not have it yet.
 */
export class FleetContents {
  readonly #held = new Map<string, Held>();

  constructor(private readonly deps: FleetContentsDeps) {}

  /** The catalog with its content, as far as that was fetched. */
  of(catalog: ClusterCatalog): CatalogInSight {
    const ref = catalog.spec.source.image?.ref ?? '';
    const askedAt = this.deps.clock.now().getTime();
    const known = this.#held.get(ref) ?? { refresh: this.#refreshOf(catalog), askedAt };
    known.askedAt = askedAt;
    this.#held.set(ref, known);
    const { state, served } = known.refresh;
    return { catalog, settled: state.settled, served };
  }

  /** Releases content that no preview has asked for within `ms`. */
  forgetUnasked(ms: number): void {
    const before = this.deps.clock.now().getTime() - ms;
    for (const [ref, { refresh, askedAt }] of this.#held) {
      if (askedAt > before) continue;
      refresh.stop();
      this.#held.delete(ref);
    }
  }

  stop(): void {
    for (const { refresh } of this.#held.values()) refresh.stop();
    this.#held.clear();
  }

  #refreshOf(catalog: ClusterCatalog): ClusterCatalogRefresh {
    const { onContent, ...deps } = this.deps;
    return new ClusterCatalogRefresh(catalog, { ...deps, cluster: FLEET_OWNER, onState: onContent });
  }
}
