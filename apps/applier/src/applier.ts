import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { FlotillaError, type Retry } from '#core/kernel/errors/flotilla.error';
import { type Subject, subjectKind } from '#core/kernel/subject/subject';
import { ClusterContact } from '#lifecycle/engine/cluster-contact';
import { ClusterViews } from '#lifecycle/engine/cluster-views';
import { PollerAgreement } from '#lifecycle/engine/poller-agreement';
import { SolvedProblems } from '#lifecycle/engine/solved-problems';
import { ClusterJoins } from '#lifecycle/fleet/joining/cluster-joins';
import { ClusterUpgrades } from '#lifecycle/fleet/openshift/cluster-upgrades';
import type { Hub } from '#platform/hub/hub';
import { ClusterLeftToOlm } from '#platform/joining/cluster-writes';
import { OlmDetectors } from '#platform/joining/olm-detectors';
import { ClusterLimiter } from '#platform/kube/cluster-limiter';
import type { KubeClient } from '#platform/kube/kube-client.port';
import type { SubjectJob } from '#platform/queue/jobs';
import type { HealthCheck } from '#platform/telemetry/health-check';
import { type Passes, type PassOutcome, passesOf } from './passes.js';

export const HUB = Symbol('hub');
export const CLIENTS = Symbol('clients of the managed clusters');

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

/** Takes subjects of every kind from the queue `apply` and does what is next for each. */
@Injectable()
export class Applier implements OnApplicationBootstrap {
  readonly #passes: Passes;
  readonly #agreement: PollerAgreement;
  readonly #gate: ClusterLimiter;
  readonly #contact: ClusterContact;
  readonly #joins: ClusterJoins;
  readonly #upgrades: ClusterUpgrades;
  readonly #views: ClusterViews;
  readonly #solved: SolvedProblems;

  constructor(
    @Inject(HUB) private readonly hub: Hub,
    @Inject(CLIENTS) private readonly clients: readonly KubeClient[],
    private readonly lookouts: OlmDetectors,
  ) {
    this.#agreement = new PollerAgreement(hub.log, clients.length);
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
      onMoved: (cluster, namespace) => this.#wake({ cluster, namespace }),
      random: Math.random,
    });
    this.#passes = passesOf({ hub, views: this.#views, agreement: this.#agreement });
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
    await Promise.all([queues.solved, queues.apply].map((queue) => queue.close({ deadlineMs })));
    await this.#views.stop();
  }

  #wake(subject: Subject): void {
    const { queues, log } = this.hub;
    queues.apply
      .add({ v: 1, ...subject })
      .catch((err: unknown) => log.warn({ ...subject, err }, 'a subject waits for the next resync'));
  }

  async #apply(job: SubjectJob, signal: AbortSignal): Promise<void> {
    const { v: _, ...subject } = job;
    const { cluster } = subject;
    const client = this.clients.find((one) => one.cluster === cluster);
    if (client === undefined) {
      const known = this.clients.map((one) => one.cluster);
      throw new UnknownCluster(cluster, known);
    }
    const entered = await this.#gate.run(cluster, () =>
      this.#unlessLeft(cluster, this.#noted(client, subject, signal)),
    );
    const againAfterMs = entered.admitted ? entered.value : entered.againAfterMs;
    if (againAfterMs !== undefined) await this.hub.queues.apply.add(job, { delayMs: againAfterMs });
  }

  async #noted(client: KubeClient, subject: Subject, signal: AbortSignal): Promise<number | undefined> {
    try {
      return await this.#reconcile(client, subject, signal);
    } catch (error) {
      this.#contact.noteEnd(subject.cluster, error);
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

  /** Runs the pass of the subject; returns in how many milliseconds the next one is due, if at all. */
  async #reconcile(client: KubeClient, subject: Subject, signal: AbortSignal): Promise<number | undefined> {
    const { cluster } = subject;
    const { acts } = await this.lookouts.status(cluster);
    if (!acts) return this.lookouts.againAfterMs(cluster);
    const { rounds, againAfterMs, answered } = await this.#pass(client, subject, signal);
    if (answered) this.#contact.noteEnd(cluster);
    this.hub.log.debug({ ...subject, rounds, againAfterMs }, `${subjectKind(subject)} reconciled`);
    return againAfterMs;
  }

  #pass(client: KubeClient, subject: Subject, signal: AbortSignal): Promise<PassOutcome> {
    if ('namespace' in subject) return this.#passes.namespace(client, subject, signal);
    if ('extension' in subject) return this.#passes.extension(client, subject, signal);
    return this.#passes.objectSet(client, subject, signal);
  }
}
