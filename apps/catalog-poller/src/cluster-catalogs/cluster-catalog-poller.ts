import { join } from 'node:path';
import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { CATALOGS_OF_CLUSTERS } from '#core/catalog-metas/metas-route';
import type { Hub } from '#platform/hub/hub';
import type { KubeClient } from '#platform/kube/kube-client.port';
import { MetasIndexFiles } from '#platform/metas/index-files';
import { MetasServer, type ServedContent } from '#platform/metas/serve-metas';
import { localCredentials } from '#platform/registry/local-credentials';
import { CLIENTS, contentUrlOf, HUB } from '../catalog-poller.js';
import { CatalogContents } from '../catalogs/catalog-contents.js';
import { SharedLoads } from '../catalogs/shared-loads.js';
import type { CatalogJsonl, LoadJsonl } from './catalog-jsonl.js';
import { loadImageJsonl } from './image-jsonl.js';
import { ServedCatalogs } from './served-catalogs.js';
import { SharedMetas } from './shared-metas.js';

/** Clusters that ask for the same image within so long are told the same. */
const SHARED_MS = 5_000;
/** A thousand connections are not opened at once: time for each cluster, in which the first requests are spread. */
const FIRST_SPREAD_MS = 20;
const FORGET_AFTER_MS = 60 * 60_000;

/** Serves the ClusterCatalogs of every cluster (OLM v1), wherever the kind is there. */
@Injectable()
export class ClusterCatalogPoller implements OnApplicationBootstrap, OnModuleDestroy {
  readonly #clusters = new Map<string, ServedCatalogs>();
  readonly #loads: SharedLoads<CatalogJsonl>;
  readonly server: MetasServer;
  readonly #cancelStarts: (() => void)[] = [];
  #cancelTidy: () => void = () => undefined;

  constructor(
    @Inject(HUB) private readonly hub: Hub,
    @Inject(CLIENTS) private readonly clients: readonly KubeClient[],
    private readonly contents: CatalogContents,
  ) {
    const { clock, log } = hub;
    this.#loads = new SharedLoads({ clock, random: Math.random });
    this.server = new MetasServer({ place: CATALOGS_OF_CLUSTERS, find: (names) => this.#find(names), log });
  }

  onApplicationBootstrap(): void {
    const { clock, content, log, settings } = this.hub;
    const indexes = MetasIndexFiles.open(join(settings.contentDir, 'catalog-poller', 'metas'), clock.now());
    indexes.catch((error: unknown) => log.error({ error }, 'the folder for indexes of catalogs cannot be used'));
    const metas = new SharedMetas(content, indexes);
    const spreadMs = this.clients.length * FIRST_SPREAD_MS;
    for (const client of this.clients) {
      const served = new ServedCatalogs({
        client,
        clock,
        log,
        metas,
        load: this.#load,
        random: Math.random,
        contentUrl: contentUrlOf(settings),
      });
      this.#clusters.set(client.cluster, served);
      this.#cancelStarts.push(clock.after(spreadMs * Math.random(), () => served.start()));
    }
    this.#tidyLater();
  }

  async onModuleDestroy(): Promise<void> {
    this.#cancelTidy();
    for (const cancel of this.#cancelStarts) cancel();
    await Promise.all([...this.#clusters.values()].map((cluster) => cluster.stop()));
  }

  #find([cluster = '', catalog = '']: readonly string[]): ServedContent | undefined {
    return this.#clusters.get(cluster)?.find(catalog);
  }

  readonly #load: LoadJsonl = async (ref) => {
    const { registry } = this.hub;
    const load = () => loadImageJsonl(ref, { registry, contents: this.contents, credentials: localCredentials });
    const answer = await this.#loads.ask(ref, { withinMs: SHARED_MS, patient: false }, load);
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
