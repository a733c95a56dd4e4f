import { CATALOG_SOURCE_API, type CatalogSource } from '#core/kernel/api/catalog-source';
import { type FleetCatalog, FleetCatalogStatus } from '#core/kernel/api/fleet/fleet-catalog';
import { FLEET_API } from '#core/kernel/api/fleet/fleet-fields';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import type { Clock } from '#platform/clock/clock.port';
import { Timers } from '#platform/clock/timers';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import type { Log } from '#platform/telemetry/log.port';
import { CatalogRefresh } from '../../catalogs/sources/catalog-refresh.js';
import { ConfigMapMissing, type SourceAccess } from '../../catalogs/sources/cluster-access.js';
import type { SharedCatalogs } from '../../catalogs/sources/shared-catalogs.js';

/** Owner in the fairness of pulls, in place of a cluster: these images are the fleet's. */
const FLEET_OWNER = 'fleet';
const MOST_REVISIONS = 10;
/** Pause before a refused report is written again: clusters wait for its digest. */
const REPORT_AGAIN_MS = 5_000;

type FleetCatalogsOptions = Readonly<{
  catalogs: SharedCatalogs;
  clock: Clock;
  log: Log;
  random: () => number;
  /** Called when another digest is held. */
  onContent: (catalog: string) => void;
}>;

/** The hub's own logins are used: pull secrets of a FleetCatalog lie in the clusters. */
const HUB_ACCESS: SourceAccess = {
  credentials: async () => ({}),
  configMap: async (_namespace, name) => {
    throw new ConfigMapMissing(name, 'a FleetCatalog has an image');
  },
  watchConfigMap: () => () => undefined,
};

/**
 * The content of every FleetCatalog. This process polls the images, and reports the result in the status.
 * Clusters get a digest in their turn, and never a tag.
 */
export class FleetCatalogs {
  readonly #refreshes = new Map<string, CatalogRefresh>();
  /** Catalogs with a report that is being written. `isOld`: there is already something else to report. */
  readonly #reporting = new Map<string, Readonly<{ isOld: boolean }>>();
  readonly #timers: Timers;

  constructor(private readonly options: FleetCatalogsOptions) {
    this.#timers = new Timers(options.clock);
  }

  /** Begins with new catalogs, follows changed ones, and ends with those that are gone. */
  sync(catalogs: ReadonlyMap<string, FleetCatalog>, hub: KubeClient): void {
    for (const [key, refresh] of this.#refreshes) {
      if (catalogs.has(key)) continue;
      refresh.stop();
      this.#refreshes.delete(key);
    }
    for (const [key, catalog] of catalogs) {
      const source = sourceOf(catalog);
      const known = this.#refreshes.get(key);
      if (known === undefined) this.#refreshes.set(key, this.#refreshOf(key, source, hub));
      else known.update(source);
    }
  }

  /** Returns the held content of a FleetCatalog. */
  of(key: string): CatalogRefresh | undefined {
    return this.#refreshes.get(key);
  }

  stop(): void {
    this.#timers.stop();
    for (const refresh of this.#refreshes.values()) refresh.stop();
  }

  #refreshOf(key: string, source: CatalogSource, hub: KubeClient): CatalogRefresh {
    const { catalogs, clock, random, onContent } = this.options;
    const onState = (_source: CatalogSource, { content }: Readonly<{ content: boolean }>) => {
      if (content) onContent(key);
      void this.#report(key, hub);
    };
    const common = { cluster: FLEET_OWNER, catalogs, clock, random, strict: false };
    return new CatalogRefresh(source, { ...common, access: HUB_ACCESS, onState });
  }

  /** One report at a time: of two that are under way the older one may come last. */
  async #report(key: string, hub: KubeClient): Promise<void> {
    const isReporting = this.#reporting.has(key);
    this.#reporting.set(key, { isOld: isReporting });
    if (isReporting) return;
    try {
      await this.#write(key, hub);
    } catch (error) {
      this.options.log.warn({ catalog: key, error }, 'could not write the status of a FleetCatalog');
      this.#timers.after(REPORT_AGAIN_MS, () => void this.#report(key, hub));
    }
    const isOld = this.#reporting.get(key)?.isOld === true;
    this.#reporting.delete(key);
    if (isOld) await this.#report(key, hub);
  }

  async #write(key: string, hub: KubeClient): Promise<void> {
    const refresh = this.#refreshes.get(key);
    const [namespace = '', name = ''] = key.split('/');
    const ref = { apiVersion: FLEET_API, kind: 'FleetCatalog', name, namespace };
    const live = await hub.get(ref);
    if (refresh === undefined || live === undefined) return;
    const { current, revisions = [] } = FleetCatalogStatus.safeParse(live['status']).data ?? {};
    const { digest = current, packages = 0 } = refresh.loaded ?? {};
    const { failure } = refresh.state;
    const at = this.options.clock.now().toISOString();
    const ready =
      failure === undefined
        ? { type: 'Ready', status: digest === undefined ? 'Unknown' : 'True', reason: 'Held', message: '' }
        : { type: 'Ready', status: 'False', reason: 'PullFailed', message: failure.message };
    const [before] = ((live['status'] as { conditions?: (typeof ready)[] } | undefined)?.conditions ?? []).filter(
      ({ type }) => type === 'Ready',
    );
    const isSame = before?.status === ready.status && before.reason === ready.reason;
    if (digest === current && isSame) return;
    const others = revisions.filter((one) => one.digest !== digest);
    const added = digest === undefined ? [] : [{ digest, seenAt: at, packages }];
    const status = {
      ...(digest === undefined ? {} : { current: digest }),
      revisions: digest === current ? revisions : [...others, ...added].slice(-MOST_REVISIONS),
      conditions: [{ ...ready, lastTransitionTime: at }],
    };
    const object = { apiVersion: FLEET_API, kind: 'FleetCatalog', metadata: { name, namespace }, status };
    await hub.apply(object as KubernetesObject, { subresource: 'status' });
  }
}

/** The image as a CatalogSource that is polled; it is in no cluster. */
const sourceOf = ({ metadata, spec }: FleetCatalog): CatalogSource => ({
  ...CATALOG_SOURCE_API,
  metadata: { name: metadata.name, namespace: metadata.namespace },
  spec: {
    sourceType: 'grpc',
    image: spec.image,
    updateStrategy: { registryPoll: { interval: spec.pollInterval } },
  },
});
