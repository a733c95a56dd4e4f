import {
  ACTION_DEADLINE_MS,
  type ActionEnd,
  type ActionTarget,
  type ConsoleAction,
} from '#core/fleet/console-actions/console-action';
import type { OrderedPackage } from '#core/fleet/desired/fleet-work';
import type { Subject } from '#core/kernel/subject/subject';
import type { Clock } from '#platform/clock/clock.port';
import type { ActionReceiver } from '#platform/console/action-channel.port';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import type { ClusterLimiter } from '#platform/kube/limits/cluster-limiter';
import type { ServiceClusters } from '#platform/membership/service-clusters.port';
import type { Log } from '#platform/telemetry/log.port';
import { carryOutAction, endOfFailure } from './carry-out-action.js';

export type ConsoleActionsOptions = Readonly<{
  receiver: ActionReceiver;
  clusters: ServiceClusters;
  limiter: Pick<ClusterLimiter, 'run'>;
  clock: Clock;
  log: Log;
  globalCatalogNamespaceOf: (client: KubeClient) => Promise<string>;
  touch: (subject: Subject) => Promise<void>;
  /** Packages of a namespace about which the fleet has orders for a cluster; absent without a fleet. */
  ordered?: ((cluster: string, namespace: string) => Promise<readonly OrderedPackage[]>) | undefined;
}>;

/** A cluster that is busy is asked again, until the action has taken too long. */
const BUSY_AGAIN_MS = 500;
const NOT_ADMITTED: ActionEnd = { outcome: 'away', message: 'the cluster does not answer; nothing was written' };

/**
 * Carries out what people decide in the console, in the clusters that this process works for: once, within
 * half a minute, or not at all.
 */
export class ConsoleActions {
  readonly #underWay = new Set<Promise<void>>();

  constructor(private readonly options: ConsoleActionsOptions) {}

  start(): void {
    this.options.receiver.follow((action) => this.#take(action));
  }

  /** Resolves when nothing is under way. */
  async stop(): Promise<void> {
    await this.options.receiver.stop();
    await Promise.all(this.#underWay);
  }

  #take(action: ConsoleAction): void {
    const own = new Set(this.options.clusters.known());
    for (const [cluster, targets] of Map.groupBy(action.targets, (target) => target.cluster)) {
      if (!own.has(cluster)) continue;
      const run = this.#inCluster(action, cluster, targets)
        .catch((error: unknown) => {
          this.options.log.warn({ cluster, error, action: action.id }, 'the end of an action was not reported');
        })
        .finally(() => this.#underWay.delete(run));
      this.#underWay.add(run);
    }
  }

  async #inCluster(action: ConsoleAction, cluster: string, targets: readonly ActionTarget[]): Promise<void> {
    const { receiver, clock, log } = this.options;
    if (!(await receiver.claim(action.id, cluster))) return;
    const late = new AbortController();
    const cancel = clock.after(ACTION_DEADLINE_MS, () => late.abort());
    try {
      for (const target of targets) {
        const end = await this.#inTurn(action, target, late.signal);
        const { verb, by, id } = action;
        log.info({ ...target, verb, by, action: id, ...end }, 'an action of the console has ended');
        await receiver.report(id, target, end);
      }
    } finally {
      cancel();
    }
  }

  async #inTurn(action: ConsoleAction, target: ActionTarget, signal: AbortSignal): Promise<ActionEnd> {
    const { clusters, limiter, clock, globalCatalogNamespaceOf, touch } = this.options;
    const { cluster } = target;
    const client = clusters.client(cluster);
    if (client === undefined) return { outcome: 'away', message: clusters.problemOf(cluster) ?? NOT_ADMITTED.message };
    let sent = false;
    const note = () => {
      sent = true;
    };
    const now = () => clock.now();
    const carryOut = async () => {
      const globalCatalogNamespace = await globalCatalogNamespaceOf(client);
      const ordered = async (namespace: string) => (await this.options.ordered?.(cluster, namespace)) ?? [];
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
