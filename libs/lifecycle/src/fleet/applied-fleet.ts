import type { Hub } from '#platform/hub/hub';
import type { OlmDetectors } from '#platform/joining/olm-detectors';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import type { ServiceClusters } from '#platform/membership/service-clusters.port';
import { ClusterMembership, type ClusterPart } from '../engine/cluster-membership.js';
import type { ClusterViews } from '../engine/cluster-views.js';
import type { ClusterRegistration } from './joining/cluster-registration.js';
import type { ClusterUpgrades } from './openshift/cluster-upgrades.js';
import type { ClusterOrders } from './rollouts/cluster-orders.js';

export type AppliedFleetDeps = Readonly<{
  hub: Pick<Hub, 'clock' | 'log' | 'settings'>;
  clusters: ServiceClusters;
  detectors: Pick<OlmDetectors, 'status' | 'againAfterMs'>;
  views: ClusterViews;
  registration: ClusterRegistration;
  upgrades: ClusterUpgrades;
  /** Absent where the hub has no fleet. */
  orders?: ClusterOrders | undefined;
  /** What else is held of a cluster, and ends when it leaves. */
  forget: (cluster: string) => void;
  random: () => number;
}>;

type AppliedParts = Readonly<{
  view: ClusterPart;
  registration: ClusterPart;
  upgrades: ClusterPart;
  rest: ClusterPart;
  orders?: ClusterPart;
}>;

const nothing = (): void => undefined;

/** What the applier does in each cluster beside the passes: from the moment it joins until it leaves. */
export class AppliedFleet {
  readonly #membership: ClusterMembership<AppliedParts>;

  constructor(private readonly deps: AppliedFleetDeps) {
    const { hub, clusters, detectors, random } = deps;
    const { clock, log, settings } = hub;
    this.#membership = new ClusterMembership({
      clusters,
      detectors,
      clock,
      log,
      random,
      resyncIntervalMs: settings.resyncInterval,
      partsOf: async (client) => this.#partsOf(client),
      // The poller publishes what is to be done anew.
      watchStore: async () => nothing,
    });
  }

  start(): void {
    this.#membership.start();
  }

  /** No cluster joins or leaves any more; passes may still read the views. */
  hold(): void {
    this.#membership.hold();
  }

  async stop(): Promise<void> {
    await this.#membership.stop();
    await this.deps.views.stop();
  }

  #partsOf(client: KubeClient): AppliedParts {
    const { views, registration, upgrades, orders, forget } = this.deps;
    return {
      view: views.partOf(client),
      registration: registration.partOf(client),
      upgrades: upgrades.partOf(client),
      rest: {
        start: async () => undefined,
        touchAll: nothing,
        resyncs: () => [],
        stop: async () => undefined,
        leave: async () => forget(client.cluster),
      },
      ...(orders === undefined ? {} : { orders: orders.partOf(client) }),
    };
  }
}
