import { Inject, Injectable, Optional } from '@nestjs/common';
import { SYSTEM_NAMESPACE } from '#core/cluster/joining/hub-instance';
import { FlotillaError, type Retry } from '#core/kernel/errors/flotilla.error';
import { type Subject, subjectKind } from '#core/kernel/subject/subject';
import { ClusterContact } from '#lifecycle/engine/membership/cluster-contact';
import { PassRefusals } from '#lifecycle/engine/membership/pass-refusals';
import { type PassOutcome, pauseAfter } from '#lifecycle/engine/passes/reconcile-loop';
import type { Pass } from '#lifecycle/fleet/pass-of';
import { OlmDetectors } from '#platform/clusters/olm-detectors';
import type { Settings } from '#platform/config/settings';
import type { Hub } from '#platform/hub/hub';
import { CLUSTERS, HUB, QUEUES, SETTINGS, SHARDS } from '#platform/hub/hub-tokens';
import { ClusterHasLeft, ClusterLeftToOlm, ClusterOfAnotherHub, ClusterPaused } from '#platform/joining/cluster-writes';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import { ClusterLimiter } from '#platform/kube/limits/cluster-limiter';
import type { ServiceClusters } from '#platform/membership/service-clusters.port';
import type { ShardSource } from '#platform/ownership/shard-follower.port';
import type { JobContext } from '#platform/queue/job-queue.port';
import type { SubjectJob } from '#platform/queue/jobs';
import { QueueProcessor } from '#platform/queue/queue-processor';
import type { Queues } from '#platform/queue/queues';

/** A job names a cluster that this applier does not manage. */
class UnknownCluster extends FlotillaError {
  readonly code = 'UnknownCluster';
  /** An applier with a newer kubeconfig may take the job next time. */
  readonly retry: Retry = { afterMs: 30_000 };
  constructor(cluster: string, known: readonly string[]) {
    super(
      `cluster "${cluster}" is not among those this applier manages (${known.join(', ')}): give poller and applier the same kubeconfig and contexts`,
    );
  }
}

/** Injection token of the pass that is run for each subject. */
export const PASS = Symbol('pass');

/**
 * Delays of jobs for a cluster that has not identified itself yet, and for a paused cluster. The end of the
 * pause queues jobs itself.
 */
const AWAITED_MS = 5_000;
const PAUSED_MS = 15_000;
/** The poller may have read a new kubeconfig a moment before the applier: only then it is a mistake. */
const UNKNOWN_FOR_MS = 15_000;
const UNKNOWN_AGAIN_MS = 1_000;

/**
 * Jobs that are taken beyond `FLOTILLA_APPLY_CONCURRENCY`: passes that wait for a slow cluster, and jobs that
 * wait for a slot. The limiter holds the setting.
 */
const MOST_WAITING = 128;

/** Takes subjects of every kind from the queue `apply` and carries out the next step of each. */
@Injectable()
export class ApplyProcessor extends QueueProcessor<SubjectJob> {
  /** By cluster that is in no kubeconfig: when jobs first named it, and last. */
  readonly #unknown = new Map<string, Readonly<{ since: number; last: number }>>();

  constructor(
    @Inject(QUEUES) private readonly queues: Queues,
    @Inject(SETTINGS) { applyConcurrency }: Settings,
    @Inject(HUB) private readonly hub: Pick<Hub, 'clock' | 'log' | 'metrics'>,
    @Inject(CLUSTERS) private readonly clusters: ServiceClusters,
    @Inject(PASS) private readonly pass: Pass<Subject>,
    private readonly detectors: OlmDetectors,
    private readonly limiter: ClusterLimiter,
    private readonly contact: ClusterContact,
    private readonly refusals: PassRefusals,
    @Optional() @Inject(SHARDS) shards?: ShardSource,
  ) {
    super(queues.apply, applyConcurrency + MOST_WAITING, shards);
  }

  protected async run(job: SubjectJob, { signal }: JobContext): Promise<void> {
    const { v: _, ...subject } = job;
    const client = this.clusters.client(subject.cluster);
    const againAfterMs =
      client === undefined ? this.#withoutClient(subject.cluster) : await this.#inTurn(client, subject, signal);
    if (againAfterMs !== undefined) await this.queues.apply.add(job, { delayMs: againAfterMs });
  }

  /** When to try the job of a cluster that takes no part; undefined: it has left, and the job with it. */
  #withoutClient(cluster: string): number | undefined {
    const hasLeft = this.clusters.hasLeft(cluster);
    if (!hasLeft && this.clusters.known().includes(cluster)) return AWAITED_MS;
    const now = this.hub.clock.now().getTime();
    const { since, last } = this.#unknown.get(cluster) ?? { since: now, last: now };
    const begun = now - last > UNKNOWN_FOR_MS ? now : since;
    this.#unknown.set(cluster, { since: begun, last: now });
    // One that has left joins again by the same way.
    if (now - begun < UNKNOWN_FOR_MS) return UNKNOWN_AGAIN_MS;
    if (hasLeft) return undefined;
    this.#unknown.delete(cluster);
    throw new UnknownCluster(cluster, this.clusters.known());
  }

  async #inTurn(client: KubeClient, subject: Subject, signal: AbortSignal): Promise<number | undefined> {
    const { cluster } = subject;
    this.#unknown.delete(cluster);
    if (this.clusters.isObserved(cluster)) return undefined;
    if (this.clusters.isPaused(cluster)) return PAUSED_MS;
    const entered = await this.limiter.run(
      cluster,
      () => client.hurried(() => this.#unlessLeft(client, this.#noted(client, subject, signal))),
      signal,
    );
    return entered.admitted ? entered.value : entered.againAfterMs;
  }

  async #noted(client: KubeClient, subject: Subject, signal: AbortSignal): Promise<number | undefined> {
    try {
      return await this.#reconcile(client, subject, signal);
    } catch (error) {
      this.contact.noteEnd(subject.cluster, error);
      throw error;
    }
  }

  /**
   * A cluster that is left to OLM or paused during a pass is checked again later; not one that has left. If
   * another process works for it by now, the job is that process's.
   */
  #unlessLeft(client: KubeClient, pass: Promise<number | undefined>): Promise<number | undefined> {
    const { cluster } = client;
    return pass.catch((error: unknown) => {
      if (error instanceof ClusterHasLeft || this.clusters.client(cluster) !== client) {
        return this.clusters.hasLeft(cluster) ? undefined : UNKNOWN_AGAIN_MS;
      }
      if (error instanceof ClusterPaused) return PAUSED_MS;
      if (error instanceof ClusterLeftToOlm || error instanceof ClusterOfAnotherHub) {
        return this.detectors.againAfterMs(cluster);
      }
      throw error;
    });
  }

  /** Runs the pass of the subject; returns in how many milliseconds the next one is due, if at all. */
  async #reconcile(client: KubeClient, subject: Subject, signal: AbortSignal): Promise<number | undefined> {
    const { cluster } = subject;
    if ('namespace' in subject && subject.namespace === SYSTEM_NAMESPACE) await this.detectors.answerFor(cluster);
    const { acts } = await this.detectors.status(cluster);
    if (!acts) return this.detectors.againAfterMs(cluster);
    const begun = performance.now();
    const { metrics, clock } = this.hub;
    const outcome = await this.pass(client, subject, signal).finally(() => {
      metrics.slowest.took(cluster, performance.now() - begun, clock.now());
    });
    metrics.stages.took('pass', (performance.now() - begun) / 1_000);
    // This pass has also seen the objects delayed by earlier passes, such as an install that has ended
    // since.
    if (outcome.result === 'done') await this.queues.apply.forgetDelayed({ v: 1, ...subject });
    this.#logOutcome(subject, outcome);
    this.refusals.note(subject, outcome);
    const againAfterMs = pauseAfter(outcome);
    // A pass that wrote nothing may have read the cache alone.
    if (outcome.rounds > 1) this.contact.noteEnd(cluster);
    return againAfterMs;
  }

  /** Logs refusals and, for debugging, every outcome. The queue itself logs its retries. */
  #logOutcome(subject: Subject, outcome: PassOutcome): void {
    const { rounds, result } = outcome;
    const againAfterMs = 'againAfterMs' in outcome ? outcome.againAfterMs : undefined;
    const waitsFor = 'waitsFor' in outcome ? outcome.waitsFor : undefined;
    if (result === 'refused' && againAfterMs !== undefined) {
      this.hub.log.warn({ ...subject, error: outcome.error.message }, 'the API server refused');
    }
    this.hub.log.debug({ ...subject, rounds, result, waitsFor, againAfterMs }, `${subjectKind(subject)} reconciled`);
  }
}
