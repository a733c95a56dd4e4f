import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { FlotillaError, type Retry } from '#core/kernel/errors/flotilla.error';
import { reconcileNamespace } from '#lifecycle/classic/namespaces/reconcile-namespace';
import { SolvedProblems } from '#lifecycle/classic/namespaces/solved-problems';
import type { Stage } from '#lifecycle/classic/namespaces/stage';
import { stagesOf } from '#lifecycle/classic/namespaces/stages';
import { CACHED_KINDS } from '#lifecycle/engine/cached-kinds';
import { ClusterContact } from '#lifecycle/engine/cluster-contact';
import { ClusterViews } from '#lifecycle/engine/cluster-views';
import { PollerAgreement } from '#lifecycle/engine/poller-agreement';
import { ClusterJoins } from '#lifecycle/fleet/joining/cluster-joins';
import { ClusterUpgrades } from '#lifecycle/fleet/openshift/cluster-upgrades';
import type { Hub } from '#platform/hub/hub';
import { globalCatalogNamespaceOf } from '#platform/hub/managed-clusters';
import { ClusterLeftToOlm } from '#platform/joining/cluster-writes';
import { OlmDetectors } from '#platform/joining/olm-detectors';
import { ClusterLimiter } from '#platform/kube/cluster-limiter';
import type { KubeClient } from '#platform/kube/kube-client.port';
import type { ApplyJob } from '#platform/queue/jobs';
import type { HealthCheck } from '#platform/telemetry/health-check';

export const HUB = Symbol('hub');
export const CLIENTS = Symbol('clients of the managed clusters');

const MIRRORED = CACHED_KINDS.map(({ kind }) => kind);
/** It takes no longer than a few commands of Redis. */
const SOLVED_AT_ONCE = 4;

/** A job names a cluster that this applier does not manage. */
export class UnknownCluster extends FlotillaError {
  readonly code = 'UnknownCluster';
  /** An applier with a newer kubeconfig may take the job next time. */
  readonly retry: Retry = { afterMs: 30_000 };
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
  readonly #agreement: PollerAgreement;
  readonly #gate: ClusterLimiter;
  readonly #contact: ClusterContact;
  readonly #joins: ClusterJoins;
  readonly #upgrades: ClusterUpgrades;
  /** Asked once a cluster: which distribution it is does not change. */
  readonly #globalNamespaces = new Map<string, string>();
  readonly #views: ClusterViews;
  readonly #solved: SolvedProblems;

  constructor(
    @Inject(HUB) private readonly hub: Hub,
    @Inject(CLIENTS) private readonly clients: readonly KubeClient[],
    private readonly lookouts: OlmDetectors,
  ) {
    this.#agreement = new PollerAgreement(hub.log, clients.length);
    this.#stages = stagesOf(hub, this.#agreement);
    this.#solved = new SolvedProblems(hub);
    const { applyConcurrency } = hub.settings;
    const mostAtOnce = clients.length === 1 ? applyConcurrency : Math.ceil(applyConcurrency / 2);
    this.#gate = new ClusterLimiter({ clock: hub.clock, mostAtOnce });
    const byName = new Map(clients.map((client) => [client.cluster, client]));
    this.#joins = new ClusterJoins({ hub, clients, lookouts, random: Math.random });
    this.#upgrades = new ClusterUpgrades({ hub, clients, lookouts, random: Math.random });
    this.#views = new ClusterViews({
      hub,
      clients,
      lookouts,
      onMoved: (cluster, namespace) => this.#wake({ v: 1, cluster, namespace }),
      random: Math.random,
    });
    this.#contact = new ClusterContact({
      clusters: [...byName.keys()],
      clock: hub.clock,
      log: hub.log,
      ask: async (cluster) => byName.get(cluster)?.serverVersion(),
      heard: (cluster) => this.#views.lastSeen(cluster),
    });
  }

  /** Whether the clusters answer. */
  get clusters(): HealthCheck {
    return this.#contact.check;
  }

  /** Which clusters are left to OLM. */
  get leftToOlm(): HealthCheck {
    return this.lookouts.check;
  }

  /** Whether the poller has the same settings. */
  get settings(): HealthCheck {
    return this.#agreement.check;
  }

  /** Which operators keep OpenShift clusters from their next minor version. */
  get upgrades(): HealthCheck {
    return this.#upgrades.check;
  }

  /** What could not be installed in clusters on joining them. */
  get joining(): HealthCheck {
    return this.#joins.check;
  }

  async onApplicationBootstrap(): Promise<void> {
    const { queues, settings } = this.hub;
    this.#contact.start();
    this.#joins.start();
    this.#upgrades.start();
    this.#views.start();
    for (const { cluster } of this.clients) this.hub.metrics.installPlanWarnings(cluster, 0);
    await queues.apply.process((job, { signal }) => this.#apply(job, signal), {
      concurrency: settings.applyConcurrency,
    });
    await queues.solved.process((job) => this.#solved.run(job), { concurrency: SOLVED_AT_ONCE });
  }

  async drain(deadlineMs: number): Promise<void> {
    this.#contact.stop();
    this.#joins.stop();
    this.#upgrades.stop();
    const { queues } = this.hub;
    await Promise.all([queues.solved, queues.apply, queues.extension].map((queue) => queue.close({ deadlineMs })));
    await this.#views.stop();
  }

  #wake(job: ApplyJob): void {
    const { queues, log } = this.hub;
    const { cluster, namespace } = job;
    queues.apply
      .add(job)
      .catch((err: unknown) => log.warn({ cluster, namespace, err }, 'a namespace waits for the next resync'));
  }

  async #apply(job: ApplyJob, signal: AbortSignal): Promise<void> {
    const client = this.clients.find(({ cluster }) => cluster === job.cluster);
    if (client === undefined)
      throw new UnknownCluster(
        job.cluster,
        this.clients.map(({ cluster }) => cluster),
      );
    const entered = await this.#gate.run(job.cluster, () =>
      this.#unlessLeft(job.cluster, this.#noted(client, job, signal)),
    );
    const againAfterMs = entered.admitted ? entered.value : entered.againAfterMs;
    if (againAfterMs !== undefined) await this.hub.queues.apply.add(job, { delayMs: againAfterMs });
  }

  async #noted(client: KubeClient, job: ApplyJob, signal: AbortSignal): Promise<number | undefined> {
    try {
      return await this.#look(client, job, signal);
    } catch (error) {
      this.#contact.noteEnd(job.cluster, error);
      throw error;
    }
  }

  /** A cluster that is left to OLM during a pass is checked again later. */
  #unlessLeft(cluster: string, pass: Promise<number | undefined>): Promise<number | undefined> {
    return pass.catch((error: unknown) => {
      if (error instanceof ClusterLeftToOlm) return this.lookouts.againAfterMs(cluster);
      throw error;
    });
  }

  /** Does what is next in the namespace; answers after how many milliseconds to look again, if at all. */
  async #look(client: KubeClient, { cluster, namespace }: ApplyJob, signal: AbortSignal): Promise<number | undefined> {
    const { clock, settings, log } = this.hub;
    const { acts } = await this.lookouts.status(cluster);
    if (!acts) return this.lookouts.againAfterMs(cluster);
    const global = this.#globalNamespaces.get(cluster) ?? (await globalCatalogNamespaceOf(client, settings));
    this.#globalNamespaces.set(cluster, global);
    const seen = await this.hub.problems.getSeen(cluster, namespace, MIRRORED);
    const reads = await this.#views.of(client).reads(seen);
    const place = { client, reads, namespace, globalCatalogNamespace: global };
    const { rounds, againAfterMs, refused } = await reconcileNamespace(place, this.#stages, clock, signal);
    // What was written was answered; a pass that found nothing to do may have asked the cluster for nothing.
    if (rounds > 1) this.#contact.noteEnd(cluster);
    if (refused !== undefined) log.warn({ cluster, namespace, error: refused.message }, 'the API server refused');
    log.debug({ cluster, namespace, rounds, againAfterMs }, 'namespace looked at');
    return againAfterMs;
  }
}
