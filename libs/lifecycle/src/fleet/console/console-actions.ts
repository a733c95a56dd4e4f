import { Inject, Injectable, Optional } from '@nestjs/common';
import {
  ACTION_DEADLINE_MS,
  type ActionEnd,
  type ActionTarget,
  type ConsoleAction,
} from '#core/fleet/console-actions/console-action';
import type { Subject } from '#core/kernel/subject/subject';
import type { ActionReceiver } from '#platform/console/action-channel.port';
import type { Hub } from '#platform/hub/hub';
import { CLUSTERS, HUB } from '#platform/hub/hub-tokens';
import { globalCatalogNamespaceOf } from '#platform/hub/managed-clusters';
import { ClusterLimiter } from '#platform/kube/limits/cluster-limiter';
import type { ServiceClusters } from '#platform/membership/service-clusters.port';
import { ClusterOrders } from '../rollouts/cluster-orders.js';
import { carryOutAction, endOfFailure } from './carry-out-action.js';

/** A cluster that is busy is asked again, until the action has taken too long. */
const BUSY_AGAIN_MS = 500;
const NOT_ADMITTED: ActionEnd = { outcome: 'away', message: 'the cluster does not answer; nothing was written' };

/**
 * Carries out what people decide in the console, in the clusters that this process works for: once, within
 * half a minute, or not at all.
 */
@Injectable()
export class ConsoleActions {
  readonly #underWay = new Set<Promise<void>>();
  readonly #receiver: ActionReceiver;

  constructor(
    @Inject(HUB) private readonly hub: Pick<Hub, 'clock' | 'log' | 'settings' | 'store' | 'queues'>,
    @Inject(CLUSTERS) private readonly clusters: ServiceClusters,
    private readonly limiter: ClusterLimiter,
    /** Absent if the hub has no fleet. */
    @Optional() private readonly orders?: ClusterOrders,
  ) {
    this.#receiver = hub.store.actionReceiver();
  }

  start(): void {
    this.#receiver.follow((action) => this.#take(action));
  }

  /** Resolves when nothing is under way. */
  async stop(): Promise<void> {
    await this.#receiver.stop();
    await Promise.all(this.#underWay);
  }

  #take(action: ConsoleAction): void {
    const own = new Set(this.clusters.known());
    for (const [cluster, targets] of Map.groupBy(action.targets, (target) => target.cluster)) {
      if (!own.has(cluster)) continue;
      const run = this.#inCluster(action, cluster, targets)
        .catch((error: unknown) => {
          this.hub.log.warn({ cluster, error, action: action.id }, 'the end of an action was not reported');
        })
        .finally(() => this.#underWay.delete(run));
      this.#underWay.add(run);
    }
  }

  async #inCluster(action: ConsoleAction, cluster: string, targets: readonly ActionTarget[]): Promise<void> {
    const { clock, log } = this.hub;
    if (!(await this.#receiver.claim(action.id, cluster))) return;
    const late = new AbortController();
    const cancel = clock.after(ACTION_DEADLINE_MS, () => late.abort());
    try {
      for (const target of targets) {
        const end = await this.#inTurn(action, target, late.signal);
        const { verb, by, id } = action;
        log.info({ ...target, verb, by, action: id, ...end }, 'an action of the console has ended');
        await this.#receiver.report(id, target, end);
      }
    } finally {
      cancel();
    }
  }

  async #inTurn(action: ConsoleAction, target: ActionTarget, signal: AbortSignal): Promise<ActionEnd> {
    const { clusters, limiter } = this;
    const { clock, settings, queues } = this.hub;
    const { cluster } = target;
    const client = clusters.client(cluster);
    if (client === undefined) return { outcome: 'away', message: clusters.problemOf(cluster) ?? NOT_ADMITTED.message };
    let sent = false;
    const note = () => {
      sent = true;
    };
    const now = () => clock.now();
    const touch = (subject: Subject) => queues.apply.add({ v: 1, ...subject });
    const carryOut = async () => {
      const globalCatalogNamespace = await globalCatalogNamespaceOf(client, settings);
      const ordered = async (namespace: string) => (await this.orders?.orderedIn(cluster, namespace)) ?? [];
      const place = { client, globalCatalogNamespace, now, signal, note, touch, ordered };
      return carryOutAction(place, action, target);
    };
    try {
      while (!signal.aborted) {
        const entered = await limiter.run(cluster, carryOut, signal);
        if (entered.admitted) return entered.value;
        await clock.sleep(Math.min(entered.againAfterMs, BUSY_AGAIN_MS), signal);
      }
      return NOT_ADMITTED;
    } catch (error) {
      return signal.aborted && !sent ? NOT_ADMITTED : endOfFailure(error, sent);
    }
  }
}
