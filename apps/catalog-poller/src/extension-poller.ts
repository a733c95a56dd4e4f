import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { CatalogPackages } from '#lifecycle/v1/observation/catalog-packages';
import { ObservedExtensions, type RevisionsSubject } from '#lifecycle/v1/observation/observed-extensions';
import { publishExtension } from '#lifecycle/v1/observation/publish-extension';
import { extensionGatesOf } from '#platform/config/extension-gates';
import type { Hub } from '#platform/hub/hub';
import { CLIENTS, HUB } from '#platform/hub/hub-tokens';
import type { KubeClient } from '#platform/kube/kube-client.port';
import { watchRedisEpoch } from '#platform/redis/redis-epoch';
import { type Freshness, freshnessCheck, type HealthCheck } from '#platform/telemetry/health-check';
import { ClusterCatalogPoller } from './cluster-catalog-poller.js';

/**
 * Watches the ClusterExtensions of every cluster that has the kind (OLM v1), and
 * publishes their desired state.
 */
@Injectable()
export class ExtensionPoller implements OnApplicationBootstrap {
  readonly #clusters = new Map<string, ObservedExtensions>();
  readonly #cancels = new Set<() => void>();
  #stopped = false;

  constructor(
    @Inject(HUB) private readonly hub: Hub,
    @Inject(CLIENTS) private readonly clients: readonly KubeClient[],
    private readonly packages: CatalogPackages,
    private readonly catalogs: ClusterCatalogPoller,
  ) {
    catalogs.follow({
      served: (cluster) => this.#start(cluster),
      moved: (cluster) => this.#clusters.get(cluster)?.touchAll(),
      left: (cluster) => this.#leave(cluster),
    });
  }

  onApplicationBootstrap(): void {
    void this.#watchRedis();
  }

  /** Ends watches and timers. */
  async stop(): Promise<void> {
    this.#stopped = true;
    for (const cancel of this.#cancels) cancel();
    await Promise.all([...this.#clusters.values()].map((cluster) => cluster.stop()));
  }

  /**
   * How fresh the watches of OLM v1's kinds are. That one of them is refused degrades
   * the service and no more.
   */
  get freshness(): HealthCheck {
    const { clock, settings } = this.hub;
    const seen = () => new Map([...this.#clusters.keys()].map((cluster) => [cluster, this.#lastSeen(cluster)]));
    const why = (cluster: string) => this.#freshnessOf(cluster).flatMap(({ problems }) => problems)[0];
    const { name, check } = freshnessCheck('extensions', clock, settings.watchStaleAfter, seen, why);
    return { name, check: async () => ({ ...(await check()), up: true }) };
  }

  #lastSeen(cluster: string): Date | undefined {
    const all = this.#freshnessOf(cluster);
    if (!all.every(({ synced }) => synced)) return undefined;
    return new Date(Math.min(...all.map(({ lastSeen }) => lastSeen.getTime())));
  }

  #freshnessOf(cluster: string): readonly Freshness[] {
    return [this.#clusters.get(cluster)?.freshness(), this.catalogs.freshnessOf(cluster)].filter(
      (freshness) => freshness !== undefined,
    );
  }

  #start(cluster: string): void {
    const client = this.clients.find((one) => one.cluster === cluster);
    if (client === undefined || this.#stopped) return;
    const extensions = this.#observer(client);
    this.#clusters.set(cluster, extensions);
    extensions.start();
    this.#resyncLater(cluster, extensions, Math.random());
  }

  #leave(cluster: string): void {
    void this.#clusters.get(cluster)?.leave();
    this.#clusters.delete(cluster);
  }

  #observer(client: KubeClient): ObservedExtensions {
    const { clock, log, metrics, queues, settings } = this.hub;
    const { cluster } = client;
    const { extensionProblems: store, problems: seen } = this.hub;
    const publishing = { store, seen, resolve: queues.resolve, apply: queues.apply };
    return new ObservedExtensions({
      client,
      clock,
      log,
      metrics: metrics.extensions,
      packages: this.packages,
      gates: extensionGatesOf(settings),
      catalogs: () => this.catalogs.catalogsOf(cluster),
      publish: (subject, problem, seen) => publishExtension(publishing, subject, problem, seen),
    });
  }

  observe(subject: RevisionsSubject): void {
    this.#clusters.get(subject.cluster)?.touch(subject);
  }

  /** Each cluster at times of its own; `part` of the interval is over already. */
  #resyncLater(cluster: string, extensions: ObservedExtensions, part = 0): void {
    const { resyncInterval, resyncJitterPercent } = this.hub.settings;
    const spread = 1 + (resyncJitterPercent / 100) * (2 * Math.random() - 1);
    this.#after(resyncInterval * spread * (1 - part), () => {
      if (this.#clusters.get(cluster) !== extensions) return; // left to OLM meanwhile
      extensions.touchAll();
      this.#resyncLater(cluster, extensions);
    });
  }

  #after(delayMs: number, run: () => void): void {
    const cancel = this.hub.clock.after(delayMs, () => {
      this.#cancels.delete(cancel);
      if (!this.#stopped) run();
    });
    this.#cancels.add(cancel);
  }

  /** An emptied Redis is filled again at once instead of at the next resync. */
  async #watchRedis(): Promise<void> {
    const { redis, clock, log, settings } = this.hub;
    const prefix = `${settings.redisPrefix}:extensions`;
    const onEmptied = () => {
      for (const extensions of this.#clusters.values()) extensions.touchAll();
    };
    const watching = watchRedisEpoch({ redis, clock, log, onEmptied, prefix });
    const stop = await watching.catch(() => undefined); // Redis never answered before this process had to end
    if (this.#stopped) stop?.();
    else if (stop !== undefined) this.#cancels.add(stop);
  }
}
