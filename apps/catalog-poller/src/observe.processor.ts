import {
  type BeforeApplicationShutdown,
  Inject,
  Injectable,
  type OnApplicationBootstrap,
  Optional,
} from '@nestjs/common';
import { ObservedFleet } from '#lifecycle/fleet/observed-fleet';
import type { Settings } from '#platform/config/settings';
import { QUEUES, SETTINGS, SHARDS } from '#platform/hub/hub-tokens';
import type { ShardSource } from '#platform/ownership/shard-follower.port';
import type { SubjectJob } from '#platform/queue/jobs';
import { QueueProcessor } from '#platform/queue/queue-processor';
import type { Queues } from '#platform/queue/queues';
import { Shutdown } from '#platform/service/shutdown';

/**
 * Watches the fleet as long as the service runs, and has each subject from the queue `observe`
 * observed again.
 */
@Injectable()
export class ObserveProcessor
  extends QueueProcessor<SubjectJob>
  implements OnApplicationBootstrap, BeforeApplicationShutdown
{
  constructor(
    @Inject(QUEUES) { observe }: Queues,
    @Inject(SETTINGS) { observeConcurrency }: Settings,
    private readonly fleet: ObservedFleet,
    private readonly shutdown: Shutdown,
    @Optional() @Inject(SHARDS) shards?: ShardSource,
  ) {
    super(observe, observeConcurrency, shards);
  }

  onApplicationBootstrap(): Promise<void> {
    this.fleet.start();
    return this.start();
  }

  /** Ends the observations of the service, and takes no further job. */
  beforeApplicationShutdown(): Promise<void> {
    return this.shutdown.drain((deadlineMs) => Promise.all([this.close(deadlineMs), this.fleet.stop()]));
  }

  protected async run({ v: _, ...subject }: SubjectJob): Promise<void> {
    this.fleet.observe(subject);
  }
}
