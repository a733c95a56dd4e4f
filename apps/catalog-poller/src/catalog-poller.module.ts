import { join } from 'node:path';
import {
  type DynamicModule,
  type MiddlewareConsumer,
  Module,
  type NestModule,
  type Provider,
  RequestMethod,
} from '@nestjs/common';
import { SharedMetas } from '#lifecycle/catalogs/cluster-catalogs/shared-metas';
import { CatalogContents } from '#lifecycle/catalogs/contents/catalog-contents';
import { CatalogReader } from '#lifecycle/catalogs/contents/catalog-reader';
import { SharedCatalogs } from '#lifecycle/catalogs/sources/shared-catalogs';
import { observedRows } from '#lifecycle/clusters/rows/observed-rows';
import { ClusterSources } from '#lifecycle/clusters/sources/cluster-sources';
import { ClusterSightings } from '#lifecycle/fleet/cluster-sightings';
import { ConsoleCatalogs } from '#lifecycle/fleet/console/console-catalogs';
import { ConsoleQuestions } from '#lifecycle/fleet/console/console-questions';
import { ObservedFleet } from '#lifecycle/fleet/observed-fleet';
import { WantedOperators } from '#lifecycle/rollouts/previews/wanted-operators';
import { ReportedRollouts } from '#lifecycle/rollouts/reports/reported-rollouts';
import { guardedClusters } from '#platform/clusters/clusters.module';
import { globalCatalogNamespaceOf } from '#platform/clusters/managed-clusters';
import { OlmDetectors } from '#platform/clusters/olm-detectors';
import { Lanes } from '#platform/fairness/lanes';
import { hubAccounts } from '#platform/fleet/hub-accounts';
import type { SecretClusters } from '#platform/fleet/secret-clusters';
import type { Hub } from '#platform/hub/hub';
import { type HubProofs, openHubProofs } from '#platform/hub/hub-proofs';
import { SourceReports } from '#platform/hub/hub-report';
import { CLUSTERS, FLEET_HUB, HUB, PROOFS, SHARDS } from '#platform/hub/hub-tokens';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import type { LoginRenewals } from '#platform/membership/login-renewals';
import type { ServiceClusters } from '#platform/membership/service-clusters.port';
import { MetasIndexFiles } from '#platform/metas/index-files';
import type { OwnedClusters } from '#platform/ownership/owned-clusters';
import type { ShardSource } from '#platform/ownership/shard-follower.port';
import { grpcLimitsOf, outboundPolicyOf } from '#platform/registry/configured-limits';
import { healthIndicator } from '#platform/telemetry/health-indicator';
import { ContentController } from './content.controller.js';
import { MetasMiddleware } from './metas.middleware.js';
import { ObserveProcessor } from './observe.processor.js';
import { PackageManifestsMiddleware } from './package-manifests.middleware.js';
import { QuestionsLifecycle } from './questions-lifecycle.js';
import { SightingsLifecycle } from './sightings-lifecycle.js';

@Module({})
class CatalogPollerModule implements NestModule {
  configure(consumer: MiddlewareConsumer): void {
    consumer
      .apply(PackageManifestsMiddleware, MetasMiddleware)
      .forRoutes({ path: 'clusters/*path', method: RequestMethod.ALL });
  }
}

function contentsOf({ registry, content, settings, metrics: { lanes }, workRoom, endedImages }: Hub): CatalogContents {
  const { pullConcurrency, pullsPerCluster, pullsPerNamespace, catalogReadConcurrency: readers } = settings;
  const pulls = { total: pullConcurrency, perCluster: pullsPerCluster, perNamespace: pullsPerNamespace };
  // One cluster, and so one of its namespaces, leaves a thread to the others.
  const most = Math.max(1, readers - 1);
  const reading = new Lanes({
    first: lanes.limiter('read', { total: readers, perCluster: most, perNamespace: most }),
    slow: lanes.limiter('read-slow', { total: 1, perCluster: 1, perNamespace: 1 }),
    firstMs: settings.catalogReadFirstDeadline,
  });
  const folder = join(settings.contentDir, 'catalog-poller');
  const limits = { pulls: lanes.limiter('pull', pulls), room: workRoom };
  return new CatalogContents(registry, content, folder, new CatalogReader({ lanes: reading }), limits, endedImages);
}

function sharedCatalogsOf({ clock, settings }: Hub, contents: CatalogContents): SharedCatalogs {
  const [grpcLimits, policy] = [grpcLimitsOf(settings), outboundPolicyOf(settings)];
  return new SharedCatalogs({ contents, clock, random: Math.random, grpcLimits, policy });
}

function sharedMetasOf({ clock, content, log, settings }: Hub): SharedMetas {
  const indexes = MetasIndexFiles.open(join(settings.contentDir, 'catalog-poller', 'metas'), clock.now());
  indexes.catch((error: unknown) => log.error({ error }, 'the folder for indexes of catalogs cannot be used'));
  return new SharedMetas(content, indexes);
}

function consoleQuestionsOf(
  hub: Hub,
  clusters: ServiceClusters,
  fleet: ObservedFleet,
  metas: SharedMetas,
  proofs: HubProofs,
): ConsoleQuestions {
  const { store, clock, log, settings, problems, content } = hub;
  const contents = new ConsoleCatalogs({ of: (cluster) => fleet.of(cluster), store: content, metas });
  return new ConsoleQuestions({
    ...{ clusters, clock, log, proofs },
    rowsIn: (cluster, namespace) => {
      const parts = fleet.of(cluster);
      const rows = parts && observedRows({ cluster, parts: () => parts, facts: () => undefined });
      return rows?.rowsOf(namespace, clock.now().toISOString());
    },
    receiver: store.questionReceiver(),
    globalCatalogNamespaceOf: (client) => globalCatalogNamespaceOf(client, settings),
    resolutionOf: async (cluster, namespace) => {
      const observed = await problems.getObservation(cluster, namespace);
      return observed && problems.getSolution(observed.problem);
    },
    catalogsOf: (cluster) => fleet.of(cluster)?.classic.catalogs.all() ?? [],
    csvsOf: (cluster) => fleet.of(cluster)?.classic.rows.csvs() ?? [],
    extensionOf: async (cluster, name) => fleet.of(cluster)?.v1.extensions.seen(name),
    catalogAnswer: (question) => contents.answer(question),
  });
}

const PARTS: readonly Provider[] = [
  { provide: CatalogContents, inject: [HUB], useFactory: contentsOf },
  // The command makes one too, without Nest.
  { provide: SharedCatalogs, inject: [HUB, CatalogContents], useFactory: sharedCatalogsOf },
  { provide: SharedMetas, inject: [HUB], useFactory: sharedMetasOf },
  ObservedFleet,
  { provide: PROOFS, inject: [HUB], useFactory: (hub: Hub) => openHubProofs(hub, 'poller') },
  {
    provide: ConsoleQuestions,
    inject: [HUB, CLUSTERS, ObservedFleet, SharedMetas, PROOFS],
    useFactory: consoleQuestionsOf,
  },
  QuestionsLifecycle,
];

type CatalogPollerOptions = Readonly<{
  /** The hub API, if the hub has a fleet. */
  fleetHub?: KubeClient | undefined;
  /** The logins of FleetClusters in Secrets. */
  credentials?: SecretClusters | undefined;
  renewals?: LoginRenewals | undefined;
}>;

/** Creates the reports about the clusters of a fleet. */
const sightingsOf = (
  fleetHub: KubeClient,
  { credentials, renewals }: Pick<CatalogPollerOptions, 'credentials' | 'renewals'>,
): readonly Provider[] => [
  { provide: FLEET_HUB, useValue: fleetHub },
  {
    provide: ClusterSightings,
    inject: [HUB, CLUSTERS, OlmDetectors, ObservedFleet, { token: SHARDS, optional: true }],
    useFactory: (
      { clock, log, settings }: Hub,
      clusters: ServiceClusters,
      detectors: OlmDetectors,
      observed: ObservedFleet,
      shards?: ShardSource,
    ) =>
      new ClusterSightings({
        ...{ hub: fleetHub, clusters, detectors, clock, log, credentials, renewals },
        operatorsIn: (cluster) => observed.of(cluster)?.rows.operators,
        isAlone: shards === undefined,
        silentMs: settings.fleetSilence,
      }),
  },
  {
    provide: ClusterSources,
    inject: [HUB, { token: SHARDS, optional: true }],
    useFactory: ({ clock, log, settings }: Hub, shards?: OwnedClusters) =>
      new ClusterSources({
        ...{ hub: fleetHub, clock, log },
        owns: (source) => shards?.owns(`FleetClusterSource/${source}`) ?? true,
        accounts: () => hubAccounts(fleetHub, settings),
      }),
  },
  WantedOperators,
  ReportedRollouts,
  SightingsLifecycle,
  healthIndicator(ReportedRollouts, ({ check }) => check),
  healthIndicator(WantedOperators, ({ check }) => check),
  healthIndicator(ClusterSightings, ({ check }) => check),
  healthIndicator(ClusterSources, ({ check }) => check),
  {
    provide: SourceReports,
    inject: [ClusterSources],
    useFactory: (sources: ClusterSources) => new SourceReports(() => sources.reports()),
  },
];

/** Wiring only. */
export const catalogPollerModule = (
  clusters: ServiceClusters,
  { fleetHub, ...logins }: CatalogPollerOptions = {},
): DynamicModule => ({
  module: CatalogPollerModule,
  controllers: [ContentController],
  providers: [
    guardedClusters(clusters),
    ...PARTS,
    ObserveProcessor,
    MetasMiddleware,
    PackageManifestsMiddleware,
    ...(fleetHub === undefined ? [] : sightingsOf(fleetHub, logins)),
    healthIndicator(ObservedFleet, ({ checks }) => checks.classic),
    healthIndicator(ObservedFleet, ({ checks }) => checks.v1),
    healthIndicator(ObservedFleet, ({ checks }) => checks.statuses),
  ],
});
