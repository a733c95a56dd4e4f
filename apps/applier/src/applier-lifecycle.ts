import { type BeforeApplicationShutdown, Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { ClusterContact } from '#lifecycle/engine/cluster-contact';
import { ClusterViews } from '#lifecycle/engine/cluster-views';
import { ClusterRegistration } from '#lifecycle/fleet/joining/cluster-registration';
import { ClusterUpgrades } from '#lifecycle/fleet/openshift/cluster-upgrades';
import { CLIENTS, METRICS } from '#platform/hub/hub-tokens';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import type { Metrics } from '#platform/telemetry/metrics';
import { Shutdown } from '#platform/telemetry/shutdown';
import { ApplyProcessor } from './apply.processor.js';
import { SolvedProcessor } from './solved.processor.js';

/** The order in which the parts of the applier start and end: a part ends after those that use it. */
@Injectable()
export class ApplierLifecycle implements OnApplicationBootstrap, BeforeApplicationShutdown {
  constructor(
    @Inject(CLIENTS) private readonly clients: readonly KubeClient[],
    @Inject(METRICS) private readonly metrics: Metrics,
    private readonly contact: ClusterContact,
    private readonly joins: ClusterRegistration,
    private readonly upgrades: ClusterUpgrades,
    private readonly views: ClusterViews,
    private readonly apply: ApplyProcessor,
    private readonly solved: SolvedProcessor,
    private readonly shutdown: Shutdown,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    this.contact.start();
    this.joins.start();
    this.upgrades.start();
    this.views.start();
    for (const { cluster } of this.clients) this.metrics.installPlanWarnings(cluster, 0);
    await this.apply.start();
    await this.solved.start();
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.shutdown.drain(async (deadlineMs) => {
      this.contact.stop();
      this.joins.stop();
      this.upgrades.stop();
      await Promise.all([this.solved.close(deadlineMs), this.apply.close(deadlineMs)]);
      await this.views.stop();
    });
  }
}
