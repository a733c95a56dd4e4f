import { Inject, Injectable, Optional } from '@nestjs/common';
import { OlmDetectors } from '#platform/clusters/olm-detectors';
import type { Hub } from '#platform/hub/hub';
import { CLUSTERS, HUB, RANDOM } from '#platform/hub/hub-tokens';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import { ClusterLimiter } from '#platform/kube/limits/cluster-limiter';
import type { ServiceClusters } from '#platform/membership/service-clusters.port';
import { ClusterRegistration } from '../clusters/joining/cluster-registration.js';
import { ClusterUpgrades } from '../clusters/openshift/cluster-upgrades.js';
import { ClusterMembership, type ClusterPart } from '../engine/membership/cluster-membership.js';
import { ClusterViews } from '../engine/membership/cluster-views.js';
import { PassRefusals } from '../engine/membership/pass-refusals.js';
import { PollerAgreement } from '../engine/passes/poller-agreement.js';
import { ClusterOrders } from '../rollouts/orders/cluster-orders.js';

type AppliedParts = Readonly<{
  view: ClusterPart;
  registration: ClusterPart;
  upgrades: ClusterPart;
  rest: ClusterPart;
  orders?: ClusterPart;
}>;

const nothing = (): void => undefined;

/**
 * Work of the applier in each cluster in addition to the passes: from the moment it joins until it leaves.
 */
@Injectable()
export class AppliedFleet {
  readonly #membership: ClusterMembership<AppliedParts>;

  constructor(
    @Inject(HUB) { clock, log, settings }: Pick<Hub, 'clock' | 'log' | 'settings'>,
    @Inject(CLUSTERS) clusters: ServiceClusters,
    @Inject(RANDOM) random: () => number,
    detectors: OlmDetectors,
    private readonly views: ClusterViews,
    private readonly registration: ClusterRegistration,
    private readonly upgrades: ClusterUpgrades,
    private readonly limiter: ClusterLimiter,
    private readonly agreement: PollerAgreement,
    private readonly refusals: PassRefusals,
    /** Absent if the hub has no fleet. */
    @Optional() private readonly orders?: ClusterOrders,
  ) {
    this.#membership = new ClusterMembership({
      clusters,
      detectors,
      clock,
      log,
      random,
      resyncIntervalMs: settings.resyncInterval,
      partsOf: async (client) => this.#partsOf(client),
      // The poller publishes due work again.
      watchStore: async () => nothing,
    });
  }

  start(): void {
    this.#membership.start();
  }

  /** Ends joins and leaves of clusters. Passes may still read the views. */
  hold(): void {
    this.#membership.hold();
  }

  async stop(): Promise<void> {
    await this.#membership.stop();
    await this.views.stop();
  }

  #partsOf(client: KubeClient): AppliedParts {
    const { views, registration, upgrades, orders } = this;
    return {
      view: views.partOf(client),
      registration: registration.partOf(client),
      upgrades: upgrades.partOf(client),
      rest: {
        start: async () => undefined,
        touchAll: nothing,
        resyncs: () => [],
        stop: async () => undefined,
        leave: async () => this.#forget(client.cluster),
      },
      ...(orders === undefined ? {} : { orders: orders.partOf(client) }),
    };
  }

  #forget(cluster: string): void {
    for (const part of [this.limiter, this.agreement, this.refusals]) part.forget(cluster);
  }
}
