import { type OwnerStatus, twinText } from '#core/cluster/joining/cluster-owner';
import { TWIN_SEEN_MS } from '#core/cluster/joining/hub-instance';
import type { Hub } from '../hub/hub.js';
import { OwnerCheck } from '../joining/owner-check.js';
import type { ServiceClusters } from '../membership/service-clusters.port.js';
import type { HealthCheck } from '../telemetry/health-check.js';

const NAMED = 5;

type ClusterOwnersOptions = Readonly<{
  hub: Pick<Hub, 'clock' | 'log' | 'metrics'> & Partial<Pick<Hub, 'identity' | 'instance'>>;
  /** The clusters, with the clients that find out who manages them. */
  clusters: ServiceClusters;
  mayTake: (cluster: string) => boolean;
  /** Called before that is written. */
  beforeWrite?: ((cluster: string) => Promise<void> | undefined) | undefined;
  /** Called if another process must write the mark that a hub with the same identity waits for. */
  onMarksAwaited?: ((cluster: string) => void) | undefined;
  /** Options for commands to reach a cluster. Default: its context. */
  access?: ((cluster: string) => string) | undefined;
  /** Called when another hub turns out to manage a cluster, or no longer does. */
  onNews: (cluster: string) => void;
}>;

/** The managing hub of each cluster of a process; part of the process's health. */
export class ClusterOwners {
  readonly #checks = new Map<string, OwnerCheck>();
  readonly #refused = new Map<string, string>();

  constructor(private readonly options: ClusterOwnersOptions) {}

  /** Undefined for a cluster that is none of this process. */
  of(cluster: string): OwnerCheck | undefined {
    const known = this.#checks.get(cluster);
    if (known !== undefined) return known;
    const { hub, clusters, mayTake, beforeWrite, onMarksAwaited, access, onNews } = this.options;
    const client = clusters.client(cluster);
    if (client === undefined) return undefined;
    const check = new OwnerCheck({
      client,
      clock: hub.clock,
      hub: hub.identity,
      instance: hub.instance,
      mayTake: () => mayTake(cluster),
      beforeWrite: () => beforeWrite?.(cluster),
      onMarksAwaited: () => onMarksAwaited?.(cluster),
      access: access?.(cluster),
      onNews: (status, before) => {
        hub.metrics.clusterOfAnotherHub(cluster, !status.acts);
        if (!status.acts) hub.log.warn({ cluster, because: status.because }, 'cluster is managed by another hub');
        else if (status.twin)
          hub.log.warn({ cluster, because: twinText(status.twin) }, 'another hub requested the cluster');
        if (status.acts !== (before?.acts ?? true)) onNews(cluster);
      },
      onRefused: (because) => {
        if (because === undefined) this.#refused.delete(cluster);
        else this.#refused.set(cluster, because);
      },
    });
    this.#checks.set(cluster, check);
    return check;
  }

  /** True if another hub is known to manage the cluster, or OLM will. */
  isForeign(cluster: string): boolean {
    return this.#checks.get(cluster)?.latest?.acts === false;
  }

  forget(cluster: string): void {
    this.#checks.delete(cluster);
    this.#refused.delete(cluster);
  }

  /** Clusters of other hubs do not make the service unready; the detail names them. */
  readonly check: HealthCheck = {
    name: 'owners',
    check: async () => {
      const troubles = Object.fromEntries(
        [...this.#checks].flatMap(([cluster, { latest }]) => {
          const trouble = latest && this.#troubleOf(latest);
          return trouble === undefined ? [] : [[cluster, trouble]];
        }),
      );
      const foreign = Object.entries(troubles).map(([cluster, because]) => `${cluster}: ${because}`);
      const unmarked = [...this.#refused].map(
        ([cluster, because]) => `${cluster}: no other hub can see that this one manages it: ${because}`,
      );
      const all = [...foreign, ...unmarked];
      if (all.length === 0) return { up: true, detail: 'no cluster belongs to another hub' };
      const more = all.length > NAMED ? ` and ${all.length - NAMED} more` : '';
      return { up: true, degraded: true, detail: `${all.slice(0, NAMED).join('; ')}${more}`, troubles };
    },
  };

  /** A hub with the same identity that has ended asks no more; a time far ahead is of no clock. */
  #troubleOf(status: OwnerStatus): string | undefined {
    if (!status.acts) return status.because;
    const { twin } = status;
    const isThere =
      twin !== undefined && Math.abs(this.options.hub.clock.now().getTime() - twin.askedAt.getTime()) < TWIN_SEEN_MS;
    return isThere ? twinText(twin) : undefined;
  }
}
