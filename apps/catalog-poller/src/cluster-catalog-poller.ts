import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { CATALOGS_OF_CLUSTERS } from '#core/catalog/metas/metas-route';
import { canonicalPath } from '#core/kernel/http-access/path-rule';
import { CatalogContents } from '#lifecycle/catalogs/catalog-contents';
import type { CatalogJsonl, LoadJsonl } from '#lifecycle/catalogs/cluster-catalogs/catalog-jsonl';
import { loadImageJsonl } from '#lifecycle/catalogs/cluster-catalogs/image-jsonl';
import { type CatalogInSight, ServedCatalogs } from '#lifecycle/catalogs/cluster-catalogs/served-catalogs';
import { SharedMetas } from '#lifecycle/catalogs/cluster-catalogs/shared-metas';
import { SharedLoads } from '#lifecycle/catalogs/shared-loads';
import type { Demand } from '#platform/fairness/demand';
import type { Hub } from '#platform/hub/hub';
import { CLIENTS, HUB } from '#platform/hub/hub-tokens';
import { OlmDetectors } from '#platform/joining/olm-detectors';
import type { KubeClient } from '#platform/kube/kube-client.port';
import { MetasServer, type ServedContent } from '#platform/metas/serve-metas';
import { localCredentials } from '#platform/registry/local-credentials';
import type { Freshness } from '#platform/telemetry/health-check';
import { contentUrlOf } from './content-url.js';

/** Clusters that ask for the same image within this time get the same answer. */
const SHARED_MS = 5_000;
/**
 * A thousand connections are not opened at once: time for each cluster, in which the
 * first requests are spread.
 */
const FIRST_SPREAD_MS = 20;
/** A cluster that does not answer is asked again after so long. */
const UNREACHED_MS = 30_000;
const FORGET_AFTER_MS = 60 * 60_000;

/** Gets word of the clusters whose ClusterCatalogs are served. */
export type CatalogsFollower = Readonly<{
  served: (cluster: string) => void;
  /** A catalog of the cluster, or what is served of it, may have changed. */
  moved: (cluster: string) => void;
  /** The cluster is left to OLM from now on. */
  left: (cluster: string) => void;
}>;

/** Serves the ClusterCatalogs of every cluster (OLM v1), wherever the kind is there. */
@Injectable()
export class ClusterCatalogPoller implements OnApplicationBootstrap {
  readonly #clusters = new Map<string, ServedCatalogs>();
  readonly #loads: SharedLoads<CatalogJsonl>;
  readonly server: MetasServer;
  /** By cluster: how to cancel the next check. */
  readonly #looks = new Map<string, () => void>();
  #stopped = false;
  #follower: CatalogsFollower | undefined;
  #cancelTidy: () => void = () => undefined;

  constructor(
    @Inject(HUB) private readonly hub: Hub,
    @Inject(CLIENTS) private readonly clients: readonly KubeClient[],
    private readonly contents: CatalogContents,
    private readonly metas: SharedMetas,
    private readonly detectors: OlmDetectors,
  ) {
    const { clock, log } = hub;
    this.#loads = new SharedLoads({ clock, random: Math.random });
    this.server = new MetasServer({
      place: CATALOGS_OF_CLUSTERS,
      find: (names) => this.#find(names),
      admit: ({ names: [cluster = '', name = ''], endpoint }, authorization) => {
        const path = canonicalPath(['clusters', cluster, 'catalogs', name, 'api', 'v1', endpoint]);
        return hub.access.admit({ area: 'catalogs', path, authorization });
      },
      log,
    });
  }

  onApplicationBootstrap(): void {
    const spreadMs = this.clients.length * FIRST_SPREAD_MS;
    for (const client of this.clients) this.#lookLater(client, spreadMs * Math.random());
    this.#tidyLater();
  }

  #lookLater(client: KubeClient, delayMs: number): void {
    const look = async () => {
      const again = await this.#look(client);
      if (!this.#stopped) this.#lookLater(client, again);
    };
    this.#looks.set(
      client.cluster,
      this.hub.clock.after(delayMs, () => void look()),
    );
  }

  /**
   * Serves the cluster's catalogs, unless it is left to OLM. Answers in how many milliseconds to check again.
   */
  async #look(client: KubeClient): Promise<number> {
    const { cluster } = client;
    const standing = await this.detectors.status(cluster).catch(() => undefined);
    if (standing === undefined) return UNREACHED_MS;
    const served = this.#clusters.get(cluster);
    if (standing.acts && served === undefined && !this.#stopped) this.#serve(client);
    if (!standing.acts && served !== undefined) {
      this.#clusters.delete(cluster);
      this.#follower?.left(cluster);
      await served.stop();
    }
    return this.detectors.againAfterMs(cluster);
  }

  #serve(client: KubeClient): void {
    const { metas } = this;
    const { clock, log, settings } = this.hub;
    const contentUrl = contentUrlOf(settings);
    const onMoved = () => this.#follower?.moved(client.cluster);
    const deps = { client, clock, log, metas, load: this.#load, random: Math.random, contentUrl, onMoved };
    const served = new ServedCatalogs(deps);
    this.#clusters.set(client.cluster, served);
    served.start();
    this.#follower?.served(client.cluster);
  }

  /** Ends watches and timers. */
  async stop(): Promise<void> {
    this.#cancelTidy();
    this.#stopped = true;
    for (const cancel of this.#looks.values()) cancel();
    await Promise.all([...this.#clusters.values()].map((cluster) => cluster.stop()));
  }

  follow(follower: CatalogsFollower): void {
    this.#follower = follower;
  }

  /** The ClusterCatalogs of a cluster; undefined until all are known. */
  catalogsOf(cluster: string): readonly CatalogInSight[] | undefined {
    const served = this.#clusters.get(cluster);
    return served?.synced ? served.all() : undefined;
  }

  /** Undefined for a cluster whose catalogs are not served. */
  freshnessOf(cluster: string): Freshness | undefined {
    return this.#clusters.get(cluster)?.freshness();
  }

  #find([cluster = '', catalog = '']: readonly string[]): ServedContent | undefined {
    return this.#clusters.get(cluster)?.find(catalog);
  }

  readonly #load: LoadJsonl = async (ref, demand) => {
    const load = (all: Demand) =>
      loadImageJsonl(ref, { contents: this.contents, credentials: localCredentials, demand: all });
    const answer = await this.#loads.ask(ref, { withinMs: SHARED_MS, patient: false, demand }, load);
    if ('error' in answer) throw answer.error;
    return answer.value;
  };

  #tidyLater(): void {
    this.#cancelTidy = this.hub.clock.after(FORGET_AFTER_MS, () => {
      this.#loads.forgetUnasked(FORGET_AFTER_MS);
      this.#tidyLater();
    });
  }
}
