import { type BeforeApplicationShutdown, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { ClusterSources } from '#lifecycle/clusters/sources/cluster-sources';
import { ClusterSightings } from '#lifecycle/fleet/cluster-sightings';
import { WantedOperators } from '#lifecycle/rollouts/previews/wanted-operators';
import { ReportedRollouts } from '#lifecycle/rollouts/reports/reported-rollouts';
import { Shutdown } from '#platform/service/shutdown';

/**
 * Reports on the clusters of the fleet, and follows their sources, wanted operators and rollouts, while the
 * service runs.
 */
@Injectable()
export class SightingsLifecycle implements OnApplicationBootstrap, BeforeApplicationShutdown {
  constructor(
    private readonly sightings: ClusterSightings,
    private readonly wanted: WantedOperators,
    private readonly rollouts: ReportedRollouts,
    private readonly sources: ClusterSources,
    private readonly shutdown: Shutdown,
  ) {}

  onApplicationBootstrap(): void {
    this.sightings.start();
    this.wanted.start();
    this.rollouts.start();
    this.sources.start();
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.shutdown.drain(async () => {
      const parts = [this.sightings, this.wanted, this.rollouts, this.sources];
      await Promise.all(parts.map((part) => part.stop()));
    });
  }
}
