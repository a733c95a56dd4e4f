import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { FlotillaError, type Retry } from '#core/errors/flotilla.error';
import type { Hub } from '#platform/hub/hub';
import { globalCatalogNamespaceOf } from '#platform/hub/managed-clusters';
import type { KubeClient } from '#platform/kube/kube-client.port';
import type { ApplyJob } from '#platform/queue/jobs';
import { reconcileNamespace } from './namespaces/reconcile-namespace.js';
import type { Stage } from './namespaces/stage.js';
import { stagesOf } from './namespaces/stages.js';

export const HUB = Symbol('hub');
export const CLIENTS = Symbol('clients of the managed clusters');

/** A job names a cluster that this applier does not manage. */
export class UnknownCluster extends FlotillaError {
  readonly code = 'UnknownCluster';
  readonly retry: Retry = 'when-input-changes';
  constructor(cluster: string, known: readonly string[]) {
    super(
      `cluster "${cluster}" is not among those this applier manages (${known.join(', ')}): give poller and applier the same kubeconfig and contexts`,
    );
  }
}

/** Takes namespaces from the queue and does what is next in each. */
@Injectable()
export class Applier implements OnApplicationBootstrap {
  readonly #stages: readonly Stage[];

  constructor(
    @Inject(HUB) private readonly hub: Hub,
    @Inject(CLIENTS) private readonly clients: readonly KubeClient[],
  ) {
    this.#stages = stagesOf(hub);
  }

  async onApplicationBootstrap(): Promise<void> {
    const { queues, settings } = this.hub;
    await queues.apply.process((job, { signal }) => this.#apply(job, signal), {
      concurrency: settings.applyConcurrency,
    });
  }

  drain(deadlineMs: number): Promise<void> {
    return this.hub.queues.apply.close({ deadlineMs });
  }

  async #apply(job: ApplyJob, signal: AbortSignal): Promise<void> {
    const client = this.clients.find(({ cluster }) => cluster === job.cluster);
    if (client === undefined)
      throw new UnknownCluster(
        job.cluster,
        this.clients.map(({ cluster }) => cluster),
      );
    const { clock, settings, queues, log } = this.hub;
    const { namespace, cluster } = job;
    const global = await globalCatalogNamespaceOf(client, settings);
    const { rounds, againAfterMs } = await reconcileNamespace(client, namespace, global, this.#stages, clock, signal);
    log.debug({ cluster, namespace, rounds, againAfterMs }, 'namespace looked at');
    if (againAfterMs !== undefined) await queues.apply.add(job, { delayMs: againAfterMs });
  }
}
