import {
  type BeforeApplicationShutdown,
  Inject,
  Injectable,
  type OnApplicationBootstrap,
  Optional,
} from '@nestjs/common';
import { ApplierRights } from '#lifecycle/clusters/joining/applier-rights';
import { ClusterReleases } from '#lifecycle/clusters/joining/cluster-releases';
import { ClusterContact } from '#lifecycle/engine/membership/cluster-contact';
import { AppliedFleet } from '#lifecycle/fleet/applied-fleet';
import { ConsoleActions } from '#lifecycle/fleet/console/console-actions';
import { ClusterOrders } from '#lifecycle/rollouts/orders/cluster-orders';
import { CLUSTERS, METRICS } from '#platform/hub/hub-tokens';
import type { ServiceClusters } from '#platform/membership/service-clusters.port';
import { Shutdown } from '#platform/service/shutdown';
import type { Metrics } from '#platform/telemetry/metrics/metrics';
import { ApplyProcessor } from './apply.processor.js';
import { SolvedProcessor } from './solved.processor.js';

/** The order of start and end for the parts of the applier: a part ends after its users. */
@Injectable()
export class ApplierLifecycle implements OnApplicationBootstrap, BeforeApplicationShutdown {
  constructor(
    @Inject(CLUSTERS) private readonly clusters: ServiceClusters,
    @Inject(METRICS) private readonly metrics: Metrics,
    private readonly contact: ClusterContact,
    private readonly fleet: AppliedFleet,
    private readonly apply: ApplyProcessor,
    private readonly solved: SolvedProcessor,
    private readonly consoleActions: ConsoleActions,
    private readonly shutdown: Shutdown,
    /** Absent if the hub has no fleet. */
    @Optional() private readonly orders?: ClusterOrders,
    @Optional() private readonly releases?: ClusterReleases,
    @Optional() private readonly rights?: ApplierRights,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    this.contact.start();
    this.clusters.subscribe((changes) => {
      this.contact.update();
      for (const { kind, cluster } of changes) {
        if (kind !== 'joined') continue;
        this.contact.noteEnd(cluster); // it has just said which cluster it is
        this.metrics.installPlanWarnings(cluster, 0);
      }
    });
    this.releases?.start();
    this.orders?.start();
    this.rights?.start();
    this.fleet.start();
    await this.apply.start();
    await this.solved.start();
    this.consoleActions.start();
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.shutdown.drain(async (deadlineMs) => {
      this.contact.stop();
      this.releases?.stop();
      this.fleet.hold();
      await Promise.all([
        this.rights?.stop(),
        this.consoleActions.stop(),
        this.solved.close(deadlineMs),
        this.apply.close(deadlineMs),
      ]);
      await this.fleet.stop();
      await this.orders?.stop();
    });
  }
}
