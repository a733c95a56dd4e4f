import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { FlotillaError, type Retry } from '#core/errors/flotilla.error';
import type { Hub } from '#platform/hub/hub';
import { globalCatalogNamespaceOf } from '#platform/hub/managed-clusters';
import type { KubeClient } from '#platform/kube/kube-client.port';
import type { ApplyJob } from '#platform/queue/jobs';
import { copiesStage } from './csvs/copies.stage.js';
import { csvStage } from './csvs/csv.stage.js';
import { operatorConditionStage } from './csvs/operator-condition.stage.js';
import { BundleContents } from './install-plans/bundle-contents.js';
import { garbageCollectStage } from './install-plans/garbage-collect.stage.js';
import { installPlanStage } from './install-plans/install-plan.stage.js';
import { reconcileNamespace } from './namespaces/reconcile-namespace.js';
import type { Stage } from './namespaces/stage.js';
import { operatorGroupStage } from './operator-groups/operator-group.stage.js';
import { operatorStage } from './operators/operator.stage.js';
import { deprecationStage } from './subscriptions/deprecation.stage.js';
import { resolutionStage } from './subscriptions/resolution.stage.js';
import { subscriptionStage } from './subscriptions/subscription.stage.js';

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
    const { problems, queues, registry, content, settings } = hub;
    const contents = new BundleContents(registry, content);
    // The order of a pass: whose rights, what is known, what is wished, what is planned, what runs.
    this.#stages = [
      operatorGroupStage,
      garbageCollectStage,
      subscriptionStage,
      resolutionStage({ store: problems, contents, observe: queues.observe }),
      deprecationStage(problems),
      installPlanStage({ retryTimeoutMs: settings.installPlanRetryTimeout }),
      operatorConditionStage,
      csvStage,
      copiesStage({ protectedNamespaces: settings.protectedCopiedCsvNamespaces }),
      operatorStage,
    ];
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
