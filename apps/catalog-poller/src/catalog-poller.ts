import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import type { NamespaceSubject } from '#core/kernel/subject/subject';
import { CatalogContents } from '#lifecycle/catalogs/catalog-contents';
import { ClusterCatalogs } from '#lifecycle/catalogs/cluster-catalogs';
import { SharedCatalogs } from '#lifecycle/catalogs/shared-catalogs';
import { publishProblem } from '#lifecycle/classic/observation/publish-problem';
import { JoinPace } from '#lifecycle/observation/join-pace';
import { ObservedCluster } from '#lifecycle/observation/observed-cluster';
import type { Hub } from '#platform/hub/hub';
import { CLIENTS, HUB } from '#platform/hub/hub-tokens';
import { globalCatalogNamespaceOf } from '#platform/hub/managed-clusters';
import { OlmDetectors } from '#platform/joining/olm-detectors';
import type { KubeClient } from '#platform/kube/kube-client.port';
import { watchRedisEpoch } from '#platform/redis/redis-epoch';
import { freshnessCheck, type HealthCheck } from '#platform/telemetry/health-check';
import { contentUrlOf } from './content-url.js';

const TIDY_EVERY_MS = 60_000;
const COUNT_EVERY_MS = 10_000;

/** Watches every cluster, keeps catalogs fresh, and publishes the desired state of each namespace. */
@Injectable()
export class CatalogPoller implements OnApplicationBootstrap {
  readonly #clusters = new Map<string, ObservedCluster>();
  #cancelTimers: (() => void)[] = [];
  #stopped = false;

  constructor(
    @Inject(HUB) private readonly hub: Hub,
    @Inject(CLIENTS) private readonly clients: readonly KubeClient[],
    private readonly contents: CatalogContents,
    private readonly catalogs: SharedCatalogs,
    private readonly joins: JoinPace,
    private readonly detectors: OlmDetectors,
  ) {}

  onApplicationBootstrap(): void {
    for (const client of this.clients) this.hub.clock.after(this.joins.turn(), () => void this.#join(client));
    void this.#watchRedis();
    this.#every(
      () => TIDY_EVERY_MS,
      () => this.#forgetUnused(),
    );
    this.#every(
      () => COUNT_EVERY_MS,
      () => this.#countObjects(),
    );
  }

  /** Ends watches and timers. */
  async stop(): Promise<void> {
    this.#stopped = true;
    for (const cancel of this.#cancelTimers) cancel();
    await Promise.all([...this.#clusters.values()].map((cluster) => cluster.stop()));
  }

  /** How fresh the watches are: part of readiness. */
  get freshness(): HealthCheck {
    const { clock, settings } = this.hub;
    const why = (cluster: string) =>
      this.joins.problemOf(cluster) ?? this.#clusters.get(cluster)?.freshness().problems[0];
    const left = () => this.clients.map(({ cluster }) => cluster).filter((cluster) => this.detectors.isHeld(cluster));
    return freshnessCheck('watches', clock, settings.watchStaleAfter, () => this.#lastSeen(), why, left);
  }

  /** A cluster that is watched; undefined where there is none of that name, or nothing is known of it yet. */
  watched(cluster: string): ObservedCluster | undefined {
    return this.#clusters.get(cluster);
  }

  #lastSeen(): ReadonlyMap<string, Date | undefined> {
    const watched = this.clients.filter(({ cluster }) => !this.detectors.isHeld(cluster));
    return new Map(
      watched.map(({ cluster }) => {
        const fresh = this.#clusters.get(cluster)?.freshness();
        return [cluster, fresh?.synced ? fresh.lastSeen : undefined];
      }),
    );
  }

  /** A cluster that cannot be reached yet is tried again, less and less often; it holds up no other. */
  async #join(client: KubeClient): Promise<void> {
    if (this.#stopped) return;
    const { cluster } = client;
    try {
      const { acts } = await this.detectors.status(cluster);
      if (!acts) return this.#joinLater(client);
      const globalCatalogNamespace = await globalCatalogNamespaceOf(client, this.hub.settings);
      if (this.#stopped) return;
      const observed = this.#observer(client, globalCatalogNamespace);
      this.#clusters.set(cluster, observed);
      this.joins.succeeded(cluster);
      await observed.start();
      this.#resyncLater(client, observed);
      this.hub.log.info({ cluster, globalCatalogNamespace }, 'cluster is watched');
    } catch (error) {
      const { delayMs, news } = this.joins.failed(cluster, error);
      this.hub.log[news ? 'warn' : 'debug']({ cluster, error, delayMs }, 'cluster cannot be reached yet');
      if (!this.#stopped) this.hub.clock.after(delayMs, () => void this.#join(client));
    }
  }

  /** It is left to OLM for now: a later check finds out whether OLM has gone. */
  #joinLater(client: KubeClient): void {
    const { cluster } = client;
    this.joins.succeeded(cluster);
    if (!this.#stopped) this.hub.clock.after(this.detectors.againAfterMs(cluster), () => void this.#join(client));
  }

  /** Each cluster at times of its own: a fleet's work is spread over the whole interval. */
  #resyncLater(client: KubeClient, cluster: ObservedCluster): void {
    const again = (delayMs: number) =>
      this.hub.clock.after(delayMs, async () => {
        if (this.#stopped) return;
        if (await this.#leftToOlm(client, cluster)) return;
        cluster.resync();
        again(this.#resyncMs());
      });
    again(this.#resyncMs() * Math.random());
  }

  /** Where an OLM has come meanwhile, nothing is watched or written any more. */
  async #leftToOlm(client: KubeClient, cluster: ObservedCluster): Promise<boolean> {
    const standing = await this.detectors.status(client.cluster).catch(() => undefined);
    if (standing === undefined || standing.acts || this.#stopped) return false;
    this.#clusters.delete(client.cluster);
    await cluster.leave();
    this.#joinLater(client);
    return true;
  }

  #observer(client: KubeClient, globalCatalogNamespace: string): ObservedCluster {
    const { clock, log, metrics, problems, queues, settings } = this.hub;
    const status = { contentUrl: contentUrlOf(settings), strict: settings.catalogStrictHealth };
    const { resolve, apply } = queues;
    const publishing = { store: problems, resolve, apply, solveDeadlineMs: settings.solveDeadline };
    return new ObservedCluster({
      client,
      clock,
      log,
      metrics,
      globalCatalogNamespace,
      catalogs: (onChange) =>
        new ClusterCatalogs({ client, clock, log, status, onChange, catalogs: this.catalogs, random: Math.random }),
      publish: (where, problem, seen) => publishProblem(publishing, where, problem, seen),
    });
  }

  /** An emptied Redis is filled again at once instead of at the next resync. */
  async #watchRedis(): Promise<void> {
    const { redis, clock, log, settings } = this.hub;
    const onEmptied = () => this.#touchAll();
    const watching = watchRedisEpoch({ redis, clock, log, onEmptied, prefix: settings.redisPrefix });
    const stop = await watching.catch(() => undefined); // Redis never answered before this process had to end
    if (this.#stopped) stop?.();
    else if (stop !== undefined) this.#cancelTimers.push(stop);
  }

  observe({ cluster, namespace }: NamespaceSubject): void {
    this.#clusters.get(cluster)?.touch(namespace);
  }

  #countObjects(): void {
    for (const cluster of this.#clusters.values()) this.hub.metrics.objectCounts(cluster.name, cluster.counts());
  }

  #touchAll(): void {
    for (const cluster of this.#clusters.values()) {
      this.hub.clock.after(this.joins.turn(), () => {
        if (!this.#stopped) cluster.touchAll();
      });
    }
  }

  #forgetUnused(): void {
    const used = [...this.#clusters.values()].flatMap(({ catalogs }) =>
      catalogs.all().flatMap(({ loaded }) => loaded?.digest ?? []),
    );
    this.contents.retain(new Set(used));
    this.catalogs.tidy();
  }

  #resyncMs(): number {
    const { resyncInterval, resyncJitterPercent } = this.hub.settings;
    return resyncInterval * (1 + (resyncJitterPercent / 100) * (2 * Math.random() - 1));
  }

  #every(pauseMs: () => number, run: () => void): void {
    const slot = this.#cancelTimers.length;
    const again = () => {
      this.#cancelTimers[slot] = this.hub.clock.after(pauseMs(), () => {
        run();
        again();
      });
    };
    this.#cancelTimers.push(() => undefined);
    again();
  }
}
