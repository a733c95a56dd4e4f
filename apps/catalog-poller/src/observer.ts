import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import type { Hub } from '#platform/hub/hub';
import type { SubjectJob } from '#platform/queue/jobs';
import { CatalogPoller, HUB } from './catalog-poller.js';
import { ClusterCatalogPoller } from './cluster-catalog-poller.js';
import { ExtensionPoller } from './extension-poller.js';

/** Takes subjects from the queue `observe` and has each observed again by the poller that watches its kind. */
@Injectable()
export class Observer implements OnApplicationBootstrap {
  constructor(
    @Inject(HUB) private readonly hub: Hub,
    private readonly namespaces: CatalogPoller,
    private readonly extensions: ExtensionPoller,
    private readonly catalogs: ClusterCatalogPoller,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    const { queues, settings } = this.hub;
    await queues.observe.process(async (job) => this.#observe(job), { concurrency: settings.observeConcurrency });
  }

  /** Ends what the service observes, and takes no further job. */
  async drain(deadlineMs: number): Promise<void> {
    await Promise.all([
      this.hub.queues.observe.close({ deadlineMs }),
      this.namespaces.stop(),
      this.extensions.stop(),
      this.catalogs.stop(),
    ]);
  }

  #observe({ v: _, ...subject }: SubjectJob): void {
    if ('namespace' in subject) this.namespaces.observe(subject);
    else this.extensions.observe(subject);
  }
}
