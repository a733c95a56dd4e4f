import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { type ExtensionDeps, extensionDeps } from '#lifecycle/v1/extensions/extension-deps';
import { reconcileExtension } from '#lifecycle/v1/extensions/reconcile-extension';
import type { Hub } from '#platform/hub/hub';
import { ClusterLeftToOlm } from '#platform/joining/cluster-writes';
import { OlmDetectors } from '#platform/joining/olm-detectors';
import { ClusterLimiter } from '#platform/kube/cluster-limiter';
import type { KubeClient } from '#platform/kube/kube-client.port';
import type { ExtensionJob } from '#platform/queue/jobs';
import { CLIENTS, HUB, UnknownCluster } from './applier.js';

/** Takes ClusterExtensions from the queue and does what is next for each. */
@Injectable()
export class ExtensionApplier implements OnApplicationBootstrap {
  readonly #deps: ExtensionDeps;
  readonly #gate: ClusterLimiter;

  constructor(
    @Inject(HUB) private readonly hub: Hub,
    @Inject(CLIENTS) private readonly clients: readonly KubeClient[],
    private readonly lookouts: OlmDetectors,
  ) {
    const { settings, clock } = hub;
    this.#deps = extensionDeps(hub);
    const { applyConcurrency } = settings;
    const mostAtOnce = clients.length === 1 ? applyConcurrency : Math.ceil(applyConcurrency / 2);
    this.#gate = new ClusterLimiter({ clock, mostAtOnce });
  }

  async onApplicationBootstrap(): Promise<void> {
    const { queues, settings } = this.hub;
    await queues.extension.process((job, { signal }) => this.#apply(job, signal), {
      concurrency: settings.applyConcurrency,
    });
  }

  async #apply(job: ExtensionJob, signal: AbortSignal): Promise<void> {
    const client = this.clients.find(({ cluster }) => cluster === job.cluster);
    if (client === undefined) {
      const known = this.clients.map(({ cluster }) => cluster);
      throw new UnknownCluster(job.cluster, known);
    }
    const entered = await this.#gate.run(job.cluster, () =>
      this.#unlessLeft(job.cluster, this.#look(client, job, signal)),
    );
    const againAfterMs = entered.admitted ? entered.value : entered.againAfterMs;
    if (againAfterMs !== undefined) await this.hub.queues.extension.add(job, { delayMs: againAfterMs });
  }

  /** A cluster that is left to OLM during a pass is checked again later. */
  #unlessLeft(cluster: string, pass: Promise<number | undefined>): Promise<number | undefined> {
    return pass.catch((error: unknown) => {
      if (error instanceof ClusterLeftToOlm) return this.lookouts.againAfterMs(cluster);
      throw error;
    });
  }

  /** Answers after how many milliseconds to look again, if at all. */
  async #look(
    client: KubeClient,
    { cluster, extension }: ExtensionJob,
    signal: AbortSignal,
  ): Promise<number | undefined> {
    const { clock, log } = this.hub;
    const { acts } = await this.lookouts.status(cluster);
    if (!acts) return this.lookouts.againAfterMs(cluster);
    const { rounds, againAfterMs } = await reconcileExtension(this.#deps, client, extension, clock, signal);
    log.debug({ cluster, extension, rounds, againAfterMs }, 'extension looked at');
    return againAfterMs;
  }
}
