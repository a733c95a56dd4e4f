import { type BeforeApplicationShutdown, Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { Notifier } from '#lifecycle/rollouts/notifications/notifier';
import { QUEUES } from '#platform/hub/hub-tokens';
import type { JobContext } from '#platform/queue/job-queue.port';
import type { NotifyJob } from '#platform/queue/jobs';
import { QueueProcessor } from '#platform/queue/queue-processor';
import type { Queues } from '#platform/queue/queues';
import { Shutdown } from '#platform/service/shutdown';

/** FleetNotifications at once. A receiver that hangs holds one of these for ten seconds. */
const CONCURRENCY = 16;

/** Takes FleetNotifications from the queue `notify`, and has their messages sent. */
@Injectable()
export class NotifyProcessor
  extends QueueProcessor<NotifyJob>
  implements OnApplicationBootstrap, BeforeApplicationShutdown
{
  constructor(
    @Inject(QUEUES) { notify }: Queues,
    private readonly notifier: Notifier,
    private readonly shutdown: Shutdown,
  ) {
    super(notify, CONCURRENCY);
  }

  onApplicationBootstrap(): Promise<void> {
    this.notifier.start();
    return this.start();
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.shutdown.drain(async (deadlineMs) => {
      await this.close(deadlineMs);
      await this.notifier.stop();
    });
  }

  protected run(job: NotifyJob, { signal }: JobContext): Promise<void> {
    return this.notifier.run(job, signal);
  }
}
