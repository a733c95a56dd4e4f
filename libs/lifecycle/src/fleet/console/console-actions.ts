import { Inject, Injectable, Optional } from '@nestjs/common';
import type { Subject } from '#core/kernel/subject/subject';
import {
  ACTION_DEADLINE_MS,
  type ActionEnd,
  type ActionTarget,
  type ConsoleAction,
} from '#core/view/actions/console-action';
import type { ProofRefusal } from '#core/view/proof/console-proof';
import { globalCatalogNamespaceOf } from '#platform/clusters/managed-clusters';
import type { ActionReceiver, SentAction } from '#platform/console/action-channel.port';
import { NOT_ALLOWED, type ProvedPerson } from '#platform/console/proof/proof-checker';
import type { Hub } from '#platform/hub/hub';
import type { HubProofs } from '#platform/hub/hub-proofs';
import { CLUSTERS, HUB, PROOFS } from '#platform/hub/hub-tokens';
import { ClusterLimiter } from '#platform/kube/limits/cluster-limiter';
import type { ServiceClusters } from '#platform/membership/service-clusters.port';
import { ClusterOrders } from '../../rollouts/orders/cluster-orders.js';
import { type ActionPlace, carryOutAction, endOfFailure } from './carry-out-action.js';

/** A cluster that is busy is asked again, until the action has taken too long. */
const BUSY_AGAIN_MS = 500;
const NOT_ADMITTED: ActionEnd = { outcome: 'away', message: 'the cluster does not answer; nothing was written' };

type InCluster = readonly [cluster: string, targets: readonly ActionTarget[]];

/**
 * Carries out users' decisions of the console, in the clusters that this process works for: once, within half
 * a minute, or not at all.
 */
@Injectable()
export class ConsoleActions {
  readonly #underWay = new Set<Promise<void>>();
  readonly #receiver: ActionReceiver;

  constructor(
    @Inject(HUB) private readonly hub: Pick<Hub, 'clock' | 'log' | 'settings' | 'store' | 'queues'>,
    @Inject(CLUSTERS) private readonly clusters: ServiceClusters,
    private readonly limiter: ClusterLimiter,
    @Inject(PROOFS) private readonly proofs: HubProofs,
    /** Absent if the hub has no fleet. */
    @Optional() private readonly orders?: ClusterOrders,
  ) {
    this.#receiver = hub.store.actionReceiver();
  }

  start(): void {
    this.#receiver.follow((sent) => this.#take(sent));
  }

  /** Resolves when nothing is under way. */
  async stop(): Promise<void> {
    await this.#receiver.stop();
    await Promise.all(this.#underWay);
    this.proofs.stop();
  }

  #take(sent: SentAction): void {
    const { action } = sent;
    const known = new Set(this.clusters.known());
    const own = [...Map.groupBy(action.targets, ({ cluster }) => cluster)].filter(([cluster]) => known.has(cluster));
    if (own.length === 0) return;
    const run = this.#checked(sent, own)
      .catch((error: unknown) => {
        this.hub.log.warn({ error, action: action.id }, 'could not report the end of an action');
      })
      .finally(() => this.#underWay.delete(run));
    this.#underWay.add(run);
  }

  /** Checks the proof of an action. Nothing of the action counts before. */
  async #checked(sent: SentAction, own: readonly InCluster[]): Promise<void> {
    const { action, proof, delivery } = sent;
    const proved = await this.proofs.checker.check({ verb: action.verb, subject: action, proof, delivery });
    await Promise.all(
      own.map(async ([cluster, targets]) => {
        const refusal = 'reason' in proved ? proved : await proved.use(cluster);
        if (refusal === 'elsewhere') return;
        if (refusal !== undefined) await this.#refuse(action, targets, refusal);
        else if (!('reason' in proved)) await this.#inCluster(action, proved, targets);
      }),
    );
  }

  async #refuse(
    { id, verb, by }: ConsoleAction,
    targets: readonly ActionTarget[],
    refusal: ProofRefusal,
  ): Promise<void> {
    const { reason, message } = refusal;
    const [first] = targets;
    this.proofs.checker.note(reason, { verb, claimed: by, action: id, ...first, targets: targets.length, message });
    for (const target of targets) await this.#receiver.refuse(id, target, { outcome: 'refused', message });
  }

  async #inCluster(sent: ConsoleAction, proved: ProvedPerson, targets: readonly ActionTarget[]): Promise<void> {
    const { clock, log } = this.hub;
    const { name: by } = proved.person;
    // The user comes from the proof and the time from the clock, not from the message.
    const action = {
      ...sent,
      by,
      at: clock
        .now()
        .toISOString()
        .replace(/\.\d+Z$/, 'Z'),
    };
    const late = new AbortController();
    const cancel = clock.after(ACTION_DEADLINE_MS, () => late.abort());
    try {
      for (const target of targets) {
        const end = await this.#inTurn(action, proved, target, late.signal);
        const { verb, id } = action;
        log.info({ ...target, verb, by, action: id, ...end }, 'ended an action of the console');
        await this.#receiver.report(id, target, end);
      }
    } finally {
      cancel();
    }
  }

  async #inTurn(
    action: ConsoleAction,
    { rights }: ProvedPerson,
    target: ActionTarget,
    signal: AbortSignal,
  ): Promise<ActionEnd> {
    const { clusters, limiter } = this;
    const { clock, settings, queues } = this.hub;
    const { cluster } = target;
    const client = clusters.client(cluster);
    if (client === undefined) return { outcome: 'away', message: clusters.problemOf(cluster) ?? NOT_ADMITTED.message };
    let sent = false;
    const note = () => {
      sent = true;
    };
    const now = () => clock.now();
    const touch = (subject: Subject) => queues.apply.add({ v: 1, ...subject });
    const carryOut = async () => {
      const globalCatalogNamespace = await globalCatalogNamespaceOf(client, settings);
      const ordered = async (namespace: string) => (await this.orders?.orderedIn(cluster, namespace)) ?? [];
      const orderedExtensions = async () => (await this.orders?.orderedExtensions(cluster)) ?? [];
      const decide: ActionPlace['decide'] = (verb, where) => {
        const decision = rights.decide(verb, where, (one) => clusters.labelsOf?.(one) ?? {});
        if (!decision.allowed)
          this.proofs.checker.note(NOT_ALLOWED, { ...target, verb, by: action.by, message: decision.because });
        return decision;
      };
      const orders = { ordered, orderedExtensions };
      const place = { client, globalCatalogNamespace, now, signal, note, touch, decide, ...orders };
      return carryOutAction(place, action, target);
    };
    try {
      while (!signal.aborted) {
        const entered = await limiter.run(cluster, carryOut, signal);
        if (entered.admitted) return entered.value;
        await clock.sleep(Math.min(entered.againAfterMs, BUSY_AGAIN_MS), signal);
      }
      return NOT_ADMITTED;
    } catch (error) {
      return signal.aborted && !sent ? NOT_ADMITTED : endOfFailure(error, sent);
    }
  }
}
