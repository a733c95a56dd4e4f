import { type DynamicModule, Module, type Provider } from '@nestjs/common';
import type { Subject } from '#core/kernel/subject/subject';
import { handlerBytesOf } from '#lifecycle/classic/observation/observed-objects';
import { ClusterCaches } from '#lifecycle/engine/cluster-caches';
import { ClusterContact } from '#lifecycle/engine/cluster-contact';
import { ClusterViews } from '#lifecycle/engine/cluster-views';
import { PollerAgreement } from '#lifecycle/engine/poller-agreement';
import { SolvedProblems } from '#lifecycle/engine/solved-problems';
import { ClusterRegistration } from '#lifecycle/fleet/joining/cluster-registration';
import { ClusterUpgrades } from '#lifecycle/fleet/openshift/cluster-upgrades';
import { passOf } from '#lifecycle/fleet/pass-of';
import { guardedClients } from '#platform/hub/clusters.module';
import type { Hub } from '#platform/hub/hub';
import { CLIENTS, HUB } from '#platform/hub/hub-tokens';
import { OlmDetectors } from '#platform/joining/olm-detectors';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import { ClusterLimiter } from '#platform/kube/limits/cluster-limiter';
import { healthIndicator } from '#platform/telemetry/health-indicator';
import { ApplierLifecycle } from './applier-lifecycle.js';
import { ApplyProcessor, PASS } from './apply.processor.js';
import { SolvedProcessor } from './solved.processor.js';

type Clients = readonly KubeClient[];

export type ApplierOptions = Readonly<{
  /** Whether poller and applier run in one process, and so have the same settings. */
  besidePoller?: boolean;
}>;

@Module({})
class ApplierModule {}

/** Wiring only. */
export const applierModule = (clients: Clients, { besidePoller = false }: ApplierOptions = {}): DynamicModule => ({
  module: ApplierModule,
  // The poller reads the applier's caches where both are parts of one process.
  global: true,
  exports: [ClusterCaches],
  providers: [
    guardedClients(clients),
    ...PARTS,
    {
      provide: ClusterCaches,
      inject: [HUB],
      useFactory: ({ clock, log }: Hub) =>
        new ClusterCaches({ clock, log, ...(besidePoller ? { handlerBytes: handlerBytesOf } : {}) }),
    },
    ApplyProcessor,
    SolvedProcessor,
    ApplierLifecycle,
    healthIndicator(ClusterContact, ({ check }) => check),
    healthIndicator(ClusterUpgrades, ({ check }) => check),
    healthIndicator<Hub>(HUB, ({ refused }) => refused.check),
    healthIndicator(ClusterRegistration, ({ check }) => check),
    ...(besidePoller ? [] : [healthIndicator(PollerAgreement, ({ check }) => check)]),
  ],
});

const PARTS: readonly Provider[] = [
  {
    provide: PollerAgreement,
    inject: [HUB, CLIENTS],
    useFactory: ({ log }: Hub, clients: Clients) => new PollerAgreement(log, clients.length),
  },
  { provide: SolvedProblems, inject: [HUB], useFactory: (hub: Hub) => new SolvedProblems(hub) },
  { provide: ClusterLimiter, inject: [HUB, CLIENTS], useFactory: limiterOf },
  {
    provide: ClusterRegistration,
    inject: [HUB, CLIENTS, OlmDetectors],
    useFactory: (hub: Hub, clients: Clients, detectors: OlmDetectors) =>
      new ClusterRegistration({ hub, clients, detectors, random: Math.random }),
  },
  {
    provide: ClusterUpgrades,
    inject: [HUB, CLIENTS, OlmDetectors],
    useFactory: (hub: Hub, clients: Clients, detectors: OlmDetectors) =>
      new ClusterUpgrades({ hub, clients, detectors, random: Math.random }),
  },
  { provide: ClusterViews, inject: [HUB, CLIENTS, OlmDetectors, ClusterCaches], useFactory: viewsOf },
  { provide: ClusterContact, inject: [HUB, CLIENTS, ClusterViews], useFactory: contactOf },
  {
    provide: PASS,
    inject: [HUB, ClusterViews, PollerAgreement],
    useFactory: (hub: Hub, views: ClusterViews, agreement: PollerAgreement) => passOf({ hub, views, agreement }),
  },
];

/** One cluster gets half of the applier at most, unless it is the only one. */
function limiterOf({ clock, settings: { applyConcurrency } }: Hub, { length }: Clients): ClusterLimiter {
  return new ClusterLimiter({ clock, mostAtOnce: length === 1 ? applyConcurrency : Math.ceil(applyConcurrency / 2) });
}

function viewsOf(hub: Hub, clients: Clients, detectors: OlmDetectors, caches: ClusterCaches): ClusterViews {
  const { queues, log } = hub;
  const enqueue = (subject: Subject) => {
    queues.apply
      .add({ v: 1, ...subject })
      .catch((err: unknown) => log.warn({ ...subject, err }, 'a subject waits for the next resync'));
  };
  const onMoved = (cluster: string, namespace: string) => enqueue({ cluster, namespace });
  return new ClusterViews({ hub, clients, caches, detectors, onMoved, random: Math.random });
}

function contactOf({ clock, log }: Hub, clients: Clients, views: ClusterViews): ClusterContact {
  const byName = new Map(clients.map((client) => [client.cluster, client]));
  return new ClusterContact({
    clusters: [...byName.keys()],
    clock,
    log,
    ask: async (cluster) => byName.get(cluster)?.serverVersion(),
    heard: (cluster) => views.lastSeen(cluster),
  });
}
