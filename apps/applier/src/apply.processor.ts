import { Inject, Injectable } from '@nestjs/common';
import { type Subject, subjectKind } from '#core/kernel/subject/subject';
import { ClusterContact } from '#lifecycle/engine/cluster-contact';
import { type PassOutcome, pauseAfter } from '#lifecycle/engine/reconcile-loop';
import type { Pass } from '#lifecycle/fleet/pass-of';
import type { Settings } from '#platform/config/settings';
import { CLIENTS, LOG, QUEUES, SETTINGS } from '#platform/hub/hub-tokens';
import { ClusterLeftToOlm } from '#platform/joining/cluster-writes';
import { OlmDetectors } from '#platform/joining/olm-detectors';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import { ClusterLimiter } from '#platform/kube/limits/cluster-limiter';
import type { JobContext } from '#platform/queue/job-queue.port';
import type { SubjectJob } from '#platform/queue/jobs';
import { QueueProcessor } from '#platform/queue/queue-processor';
import type { Queues } from '#platform/queue/queues';
import type { Log } from '#platform/telemetry/log.port';
import { UnknownCluster } from './unknown-cluster.error.js';

/** Injection token of the pass that is run for each subject. */
export const PASS = Symbol('pass');

/** Takes subjects of every kind from the queue `apply` and does what is next for each. */
@Injectable()
export class ApplyProcessor extends QueueProcessor<SubjectJob> {
  constructor(
    @Inject(QUEUES) private readonly queues: Queues,
    @Inject(SETTINGS) { applyConcurrency }: Settings,
    @Inject(LOG) private readonly log: Log,
    @Inject(CLIENTS) private readonly clients: readonly KubeClient[],
    @Inject(PASS) private readonly pass: Pass<Subject>,
    private readonly detectors: OlmDetectors,
    private readonly limiter: ClusterLimiter,
    private readonly contact: ClusterContact,
  ) {
    super(queues.apply, applyConcurrency);
  }

  protected async run(job: SubjectJob, { signal }: JobContext): Promise<void> {
    const { v: _, ...subject } = job;
    const { cluster } = subject;
    const client = this.clients.find((one) => one.cluster === cluster);
    if (client === undefined) {
      const known = this.clients.map((one) => one.cluster);
      throw new UnknownCluster(cluster, known);
    }
    const entered = await this.limiter.run(cluster, () =>
      client.hurried(() => this.#unlessLeft(cluster, this.#noted(client, subject, signal))),
    );
    const againAfterMs = entered.admitted ? entered.value : entered.againAfterMs;
    if (againAfterMs !== undefined) await this.queues.apply.add(job, { delayMs: againAfterMs });
  }

  async #noted(client: KubeClient, subject: Subject, signal: AbortSignal): Promise<number | undefined> {
    try {
      return await this.#reconcile(client, subject, signal);
    } catch (error) {
      this.contact.noteEnd(subject.cluster, error);
      throw error;
    }
  }

  /** A cluster that is left to OLM during a pass is checked again later. */
  #unlessLeft(cluster: string, pass: Promise<number | undefined>): Promise<number | undefined> {
    return pass.catch((error: unknown) => {
      if (error instanceof ClusterLeftToOlm) return this.detectors.againAfterMs(cluster);
      throw error;
    });
  }

  /** Runs the pass of the subject; returns in how many milliseconds the next one is due, if at all. */
  async #reconcile(client: KubeClient, subject: Subject, signal: AbortSignal): Promise<number | undefined> {
    const { cluster } = subject;
    const { acts } = await this.detectors.status(cluster);
    if (!acts) return this.detectors.againAfterMs(cluster);
    const outcome = await this.pass(client, subject, signal);
    this.#logOutcome(subject, outcome);
    const againAfterMs = pauseAfter(outcome);
    // A pass that wrote nothing may have read the cache alone.
    if (outcome.rounds > 1) this.contact.noteEnd(cluster);
    return againAfterMs;
  }

  /** What the queue retries it logs itself. */
  #logOutcome(subject: Subject, outcome: PassOutcome): void {
    const { rounds, result } = outcome;
    const againAfterMs = 'againAfterMs' in outcome ? outcome.againAfterMs : undefined;
    const waitsFor = 'waitsFor' in outcome ? outcome.waitsFor : undefined;
    if (result === 'refused' && againAfterMs !== undefined) {
      this.log.warn({ ...subject, error: outcome.error.message }, 'the API server refused');
    }
    this.log.debug({ ...subject, rounds, result, waitsFor, againAfterMs }, `${subjectKind(subject)} reconciled`);
  }
}
