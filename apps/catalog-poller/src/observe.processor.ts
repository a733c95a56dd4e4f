import { type BeforeApplicationShutdown, Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import type { Settings } from '#platform/config/settings';
import { QUEUES, SETTINGS } from '#platform/hub/hub-tokens';
import type { SubjectJob } from '#platform/queue/jobs';
import { QueueProcessor } from '#platform/queue/queue-processor';
import type { Queues } from '#platform/queue/queues';
import { Shutdown } from '#platform/telemetry/shutdown';
import { CatalogPoller } from './catalog-poller.js';
import { ClusterCatalogPoller } from './cluster-catalog-poller.js';
import { ExtensionPoller } from './extension-poller.js';

/**
 * Takes subjects from the queue `observe` and has each observed again by the poller that watches its kind.
 */
@Injectable()
export class ObserveProcessor
  extends QueueProcessor<SubjectJob>
  implements OnApplicationBootstrap, BeforeApplicationShutdown
{
  constructor(
    @Inject(QUEUES) { observe }: Queues,
    @Inject(SETTINGS) { observeConcurrency }: Settings,
    private readonly namespaces: CatalogPoller,
    private readonly extensions: ExtensionPoller,
    private readonly catalogs: ClusterCatalogPoller,
    private readonly shutdown: Shutdown,
  ) {
    super(observe, observeConcurrency);
  }

  onApplicationBootstrap(): Promise<void> {
    return this.start();
  }

  /** Ends what the service observes, and takes no further job. */
  beforeApplicationShutdown(): Promise<void> {
    const pollers = [this.namespaces, this.extensions, this.catalogs];
    return this.shutdown.drain((deadlineMs) =>
      Promise.all([this.close(deadlineMs), ...pollers.map((poller) => poller.stop())]),
    );
  }

  protected async run({ v: _, ...subject }: SubjectJob): Promise<void> {
    if ('namespace' in subject) this.namespaces.observe(subject);
    else this.extensions.observe(subject);
  }
}
