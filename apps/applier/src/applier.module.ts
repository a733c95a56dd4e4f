import { type DynamicModule, Module, type Provider } from '@nestjs/common';
import { APPLIER } from '#core/kernel/actions/field-managers';
import type { Subject } from '#core/kernel/subject/subject';
import { handlerBytesOf } from '#lifecycle/classic/observation/observed-objects';
import { ApplierRights } from '#lifecycle/clusters/joining/applier-rights';
import { ClusterRegistration } from '#lifecycle/clusters/joining/cluster-registration';
import { ClusterReleases, type ClusterReleasesOptions } from '#lifecycle/clusters/joining/cluster-releases';
import { ClusterUpgrades } from '#lifecycle/clusters/openshift/cluster-upgrades';
import { ClusterCaches } from '#lifecycle/engine/caches/cluster-caches';
import { ClusterContact } from '#lifecycle/engine/membership/cluster-contact';
import { ClusterViews } from '#lifecycle/engine/membership/cluster-views';
import { PassRefusals } from '#lifecycle/engine/membership/pass-refusals';
import { MovedSubjects } from '#lifecycle/engine/observation/moved-subjects';
import { PollerAgreement } from '#lifecycle/engine/passes/poller-agreement';
import { SolvedProblems } from '#lifecycle/engine/publishing/solved-problems';
import { AppliedFleet } from '#lifecycle/fleet/applied-fleet';
import { ConsoleActions } from '#lifecycle/fleet/console/console-actions';
import { type Pass, passOf } from '#lifecycle/fleet/pass-of';
import { ClusterOrders } from '#lifecycle/rollouts/orders/cluster-orders';
import { placeParts } from '#lifecycle/rollouts/orders/place-parts';
import { extensionDeps } from '#lifecycle/v1/extensions/extension-deps';
import { guardedClusters } from '#platform/clusters/clusters.module';
import { globalNamespaces } from '#platform/clusters/managed-clusters';
import { readLimitsOf } from '#platform/config/kube-limits';
import type { ReleaseMarks } from '#platform/fleet/release-marks';
import type { SecretClusters } from '#platform/fleet/secret-clusters';
import type { Hub } from '#platform/hub/hub';
import { openHubProofs } from '#platform/hub/hub-proofs';
import { CLUSTERS, FLEET_HUB, HUB, PROOFS } from '#platform/hub/hub-tokens';
import type { ClusterAccess } from '#platform/kube/access/kubeconfig';
import { loadClusters } from '#platform/kube/access/load-clusters';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import { ClusterLimiter } from '#platform/kube/limits/cluster-limiter';
import type { ServiceClusters } from '#platform/membership/service-clusters.port';
import { isMemoryShort } from '#platform/processes/service-memory';
import { outboundPolicyOf } from '#platform/registry/configured-limits';
import { healthIndicator } from '#platform/telemetry/health-indicator';
import { ApplierLifecycle } from './applier-lifecycle.js';
import { ApplyProcessor, PASS } from './apply.processor.js';
import { SolvedProcessor } from './solved.processor.js';

type ApplierOptions = Readonly<{
  /** True if poller and applier run in one process, and so have the same settings. */
  besidePoller?: boolean;
  /** The hub API, if the hub has a fleet. */
  fleetHub?: KubeClient | undefined;
  /** The clusters that the hub API has Secrets for, and whether this process works for a cluster. */
  secrets?: SecretClusters | undefined;
  marks?: ReleaseMarks | undefined;
  owns?: (cluster: string) => boolean;
}>;

@Module({})
class ApplierModule {}

/** Wiring only. */
export const applierModule = (
  clusters: ServiceClusters,
  { besidePoller = false, fleetHub, secrets, marks, owns = () => true }: ApplierOptions = {},
): DynamicModule => ({
  module: ApplierModule,
  // The poller reads the applier's caches if both run in one process.
  global: true,
  exports: [ClusterCaches],
  providers: [
    guardedClusters(clusters),
    ...PARTS,
    {
      provide: ClusterCaches,
      inject: [HUB],
      useFactory: ({ clock, log }: Hub) =>
        new ClusterCaches({ clock, log, isMemoryShort, ...(besidePoller ? { handlerBytes: handlerBytesOf } : {}) }),
    },
    {
      provide: ClusterViews,
      inject: [HUB, CLUSTERS, ClusterCaches],
      useFactory: (hub: Hub, all: ServiceClusters, caches: ClusterCaches) => viewsOf(hub, all, caches, besidePoller),
    },
    {
      provide: ClusterOrders,
      inject: [HUB, ClusterLimiter, ClusterViews],
      useFactory: (hub: Hub, limiter: ClusterLimiter, views: ClusterViews) =>
        fleetHub && ordersOf(hub, fleetHub, limiter, views),
    },
    {
      provide: ClusterReleases,
      inject: [HUB, CLUSTERS],
      useFactory: (hub: Hub, all: ServiceClusters) =>
        fleetHub && secrets && marks && releasesOf(hub, { hub: fleetHub, secrets, marks, clusters: all, owns }),
    },
    ApplyProcessor,
    SolvedProcessor,
    ApplierLifecycle,
    ...(fleetHub === undefined ? [] : fleetParts(fleetHub)),
    healthIndicator(ClusterContact, ({ check }) => check),
    healthIndicator(PassRefusals, ({ check }) => check),
    healthIndicator(ClusterUpgrades, ({ check }) => check),
    healthIndicator<Hub>(HUB, ({ refused }) => refused.check),
    healthIndicator(ClusterRegistration, ({ check }) => check),
    ...(besidePoller ? [] : [healthIndicator(PollerAgreement, ({ check }) => check)]),
  ],
});

const PARTS: readonly Provider[] = [
  {
    // A factory: the command makes one too, without Nest.
    provide: PollerAgreement,
    inject: [HUB, CLUSTERS],
    useFactory: ({ log }: Hub, clusters: ServiceClusters) => new PollerAgreement(log, () => clusters.clients().length),
  },
  SolvedProblems,
  { provide: ClusterLimiter, inject: [HUB, CLUSTERS], useFactory: limiterOf },
  ClusterRegistration,
  ClusterUpgrades,
  AppliedFleet,
  { provide: PROOFS, inject: [HUB], useFactory: (hub: Hub) => openHubProofs(hub, 'applier') },
  ConsoleActions,
  PassRefusals,
  ClusterContact,
  {
    provide: PASS,
    inject: [HUB, ClusterViews, PollerAgreement, ClusterOrders],
    useFactory: (hub: Hub, views: ClusterViews, agreement: PollerAgreement, orders: ClusterOrders | undefined) =>
      withOrders(passOf({ hub, views, agreement }), orders),
  },
];

/** Parts that the applier has only in a hub with a fleet. */
const fleetParts = (fleetHub: KubeClient): readonly Provider[] => [
  { provide: FLEET_HUB, useValue: fleetHub },
  ApplierRights,
  healthIndicator(ClusterOrders, ({ check }) => check),
  healthIndicator(ApplierRights, ({ check }) => check),
];

/** One cluster gets half of the applier at most, unless it is the only one. */
function limiterOf({ clock, settings: { applyConcurrency } }: Hub, clusters: ServiceClusters): ClusterLimiter {
  const half = Math.ceil(applyConcurrency / 2);
  let most = half;
  clusters.subscribe(() => {
    most = clusters.clients().length === 1 ? applyConcurrency : half;
  });
  const idleMs = () => performance.eventLoopUtilization().idle;
  return new ClusterLimiter({ clock, slots: applyConcurrency, mostAtOnce: () => most, idleMs });
}

function viewsOf(hub: Hub, clusters: ServiceClusters, caches: ClusterCaches, stayOpen: boolean): ClusterViews {
  const moved = new MovedSubjects({ ...hub, queue: hub.queues.apply });
  const onMoved = (cluster: string, namespace: string) => moved.enqueue({ cluster, namespace });
  const isMember = (client: KubeClient) => clusters.client(client.cluster) === client;
  return new ClusterViews({ hub, caches, stayOpen, isMember, onMoved });
}

function ordersOf(hub: Hub, fleetHub: KubeClient, limiter: ClusterLimiter, views: ClusterViews): ClusterOrders {
  const { clock, log, settings } = hub;
  return new ClusterOrders({
    ...{ hub: fleetHub, clock, log, limiter, placeOf: placeParts(hub, extensionDeps(hub)) },
    globalCatalogNamespaceOf: globalNamespaces(settings),
    readsOf: (client) => views.of(client).readsAfter(),
  });
}

function releasesOf(
  { clock, log, settings, identity, instance }: Hub,
  parts: Pick<ClusterReleasesOptions, 'hub' | 'secrets' | 'marks' | 'clusters' | 'owns'>,
): ClusterReleases {
  const transport = { requestTimeoutMs: settings.kubeRequestTimeout };
  const limits = readLimitsOf(settings);
  const plugins = { timeoutMs: settings.kubePluginTimeout };
  const options = { fieldManager: APPLIER, limits, transport, plugins, policy: outboundPolicyOf(settings) };
  const open = async (access: ClusterAccess) => {
    const [client] = await loadClusters({ ...options, access: [access] });
    if (client === undefined) throw new RangeError('one access gives one client');
    return client;
  };
  return new ClusterReleases({ ...parts, open, identity, instance, clock, log });
}

/** Wraps a pass so that it reports its end to the orders of the fleet. */
const withOrders =
  (pass: Pass<Subject>, orders: ClusterOrders | undefined): Pass<Subject> =>
  async (client, subject, signal) => {
    try {
      return await pass(client, subject, signal);
    } finally {
      orders?.passed(subject);
    }
  };
