import { type BeforeApplicationShutdown, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { ClusterSightings } from '#lifecycle/fleet/cluster-sightings';
import { Shutdown } from '#platform/telemetry/shutdown';

/** Reports on the clusters of the fleet as long as the service runs. */
@Injectable()
export class SightingsLifecycle implements OnApplicationBootstrap, BeforeApplicationShutdown {
  constructor(
    private readonly sightings: ClusterSightings,
    private readonly shutdown: Shutdown,
  ) {}

  onApplicationBootstrap(): void {
    this.sightings.start();
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.shutdown.drain(() => this.sightings.stop());
  }
}
