import { Inject, Injectable } from '@nestjs/common';
import type { FleetClusterStatus } from '#core/cluster/membership/cluster-conditions';
import { withMissingRights } from '#core/cluster/membership/cluster-permissions';
import { isBeingDeleted } from '#core/cluster/membership/cluster-release';
import { FleetCluster } from '#core/kernel/api/fleet/fleet-cluster';
import { Timers } from '#platform/clock/timers';
import { inParallel } from '#platform/fairness/in-parallel';
import { FleetStore } from '#platform/fleet/fleet-store';
import type { Hub } from '#platform/hub/hub';
import { CLUSTERS, FLEET_HUB, HUB } from '#platform/hub/hub-tokens';
import { KubeApiError, type KubeClient } from '#platform/kube/client/kube-client.port';
import type { ClusterChange, ServiceClusters } from '#platform/membership/service-clusters.port';
import type { HealthCheck } from '#platform/telemetry/health-check';
import { ClusterRights } from './cluster-rights.js';

/** Interval for finding due checks; a cluster is asked more seldom. */
const LOOK_EVERY_MS = 15_000;
const ASKED_AT_ONCE = 32;

/**
 * Reports in the status of FleetClusters the rights that the applier's login is missing there. The poller has
 * another login, and cannot know (why: clusters.md "Rights of the hub in a cluster"). Only changes are
 * written.
 */
@Injectable()
export class ApplierRights {
  readonly #store: FleetStore;
  readonly #timers: Timers;
  readonly #rights: ClusterRights;
  #looking: Promise<void> | undefined;

  constructor(
    @Inject(FLEET_HUB) fleetHub: KubeClient,
    @Inject(CLUSTERS) private readonly clusters: Pick<ServiceClusters, 'client' | 'isObserved' | 'subscribe'>,
    @Inject(HUB) private readonly hub: Pick<Hub, 'clock' | 'log'>,
  ) {
    const { clock, log } = hub;
    this.#store = new FleetStore({ client: fleetHub, clock, log, kinds: ['FleetCluster'], checkName: 'fleet-rights' });
    this.#timers = new Timers(clock);
    this.#rights = new ClusterRights({ role: 'apply', clock, log });
  }

  get check(): HealthCheck {
    return this.#store.check;
  }

  start(): void {
    this.#store.start();
    this.#timers.add(this.clusters.subscribe((changes) => this.#changed(changes)));
    void this.#store.whenSynced().then(() => this.#look());
    this.#timers.every(LOOK_EVERY_MS, () => this.#look());
  }

  async stop(): Promise<void> {
    this.#timers.stop();
    await this.#looking;
    await this.#store.stop();
  }

  #changed(changes: readonly ClusterChange[]): void {
    for (const { cluster } of changes) this.#rights.forget(cluster);
    this.#look();
  }

  #look(): void {
    if (this.#looking !== undefined || this.#timers.stopped || this.#store.problem !== undefined) return;
    this.#looking = this.#lookAtAll().finally(() => {
      this.#looking = undefined;
    });
  }

  async #lookAtAll(): Promise<void> {
    const objects = this.#store.kept('FleetCluster').flatMap((one) => FleetCluster.safeParse(one.open()).data ?? []);
    const members = objects.filter(({ metadata }) => !isBeingDeleted(metadata));
    await inParallel(members, ASKED_AT_ONCE, (object) => this.#report(object));
  }

  /** Reports the missing rights. If the hub only observes, the applier needs none. */
  async #report(object: FleetCluster): Promise<void> {
    const { clusters } = this;
    const { clock, log } = this.hub;
    const { name } = object.metadata;
    const client = clusters.client(name);
    if (client === undefined) return;
    const isObserved = clusters.isObserved(name);
    const lacks = isObserved ? undefined : await this.#rights.lackedBy(client);
    if ((lacks === undefined && !isObserved) || this.#timers.stopped) return;
    const before = (object.status ?? {}) as FleetClusterStatus;
    const status = withMissingRights(before, 'applier', lacks, clock.now().toISOString());
    if (status === before) return;
    try {
      await this.#store.client.updateStatus({ ...object, status });
    } catch (error) {
      // The object has changed in between: it is reported the next time.
      if (KubeApiError.is(error, 'Conflict', 'NotFound')) return;
      log.warn({ cluster: name, error }, 'could not report the rights in a cluster');
    }
  }
}
