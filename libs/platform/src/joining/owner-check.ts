import { type HubIdentity, type OwnerStatus, ownerStatus } from '#core/cluster/joining/cluster-owner';
import { type OwnerMarks, QUESTION_ANNOTATION } from '#core/cluster/joining/hub-instance';
import { KIND } from '#core/kernel/api/kinds';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import type { Clock } from '../clock/clock.port.js';
import { KubeApiError, type KubeClient } from '../kube/client/kube-client.port.js';

type OwnerCheckOptions = Readonly<{
  client: KubeClient;
  clock: Clock;
  hub: HubIdentity | undefined;
  /** Distinguishes hubs with one identity. Default: they count as one. */
  instance?: (() => Promise<string | undefined>) | undefined;
  /** True if this process may write to the cluster that this hub manages it. */
  mayTake: () => boolean;
  /** Called before that is written. The write waits for it. Default: nothing. */
  beforeWrite?: (() => Promise<void> | undefined) | undefined;
  /** Options for commands to reach the cluster. Default: its context. */
  access?: string | undefined;
  /** Called when the status has changed; for the first one only if another hub is there. */
  onNews?: (status: OwnerStatus, before: OwnerStatus | undefined) => void;
  /** Called if another process must write the mark that a hub with the same identity waits for. */
  onMarksAwaited?: (() => void) | undefined;
  /** The API server refuses to have the cluster marked; `undefined`: no more. */
  onRefused?: (because: string | undefined) => void;
}>;

/**
 * Milliseconds without a write after which the cluster is asked again for its manager: if this hub acts; if
 * another one does.
 */
const ACTING_MS = 5 * 60 * 60_000;
const WAITING_MS = 60_000;
/**
 * Milliseconds after the last answer from which a write asks again. After that time, another hub that takes
 * the cluster over no longer waits for this one to stop.
 */
export const OWNER_CONFIRMED_MS = 10_000;

const SYSTEM = { ...KIND.Namespace, name: 'kube-system' };

/**
 * Finds out the managing hub of a cluster. A hub writes once that it manages the cluster, and asks again
 * before it writes. Nothing is renewed, so a cluster at rest costs nothing.
 */
export class OwnerCheck {
  #known: Readonly<{ status: OwnerStatus; askedAtMs: number }> | undefined;
  #asking: Promise<OwnerStatus> | undefined;
  /** The question of a hub with the same identity, and when it was read first. */
  #question: Readonly<{ text: string; seenAt: Date }> | undefined;

  constructor(private readonly options: OwnerCheckOptions) {}

  /** The last answer; undefined before the first one. */
  get latest(): OwnerStatus | undefined {
    return this.#known?.status;
  }

  /** Milliseconds after which {@link status} asks again. */
  get againAfterMs(): number {
    const { latest } = this;
    return latest?.acts === false ? Math.min(latest.againAfterMs ?? WAITING_MS, WAITING_MS) : ACTING_MS;
  }

  /** Returns the status of the owner. Rejects if the cluster does not answer. */
  async status(): Promise<OwnerStatus> {
    return this.#isYounger(this.againAfterMs) && this.#known !== undefined ? this.#known.status : this.ask();
  }

  /** Asks before a write. Returns undefined if the last answer is recent. */
  confirm(): Promise<OwnerStatus> | undefined {
    return this.#isYounger(OWNER_CONFIRMED_MS) ? undefined : this.ask();
  }

  /** Asks the cluster. Writes the mark that the managing hub, or the next one, must write there. */
  async ask(): Promise<OwnerStatus> {
    this.#asking ??= this.#ask().finally(() => {
      this.#asking = undefined;
    });
    return this.#asking;
  }

  /** True if the last answer is younger than `ms`. A clock that was set back since makes it old. */
  #isYounger(ms: number): boolean {
    const ageMs = this.#known === undefined ? Number.NaN : this.#nowMs - this.#known.askedAtMs;
    return ageMs >= 0 && ageMs < ms;
  }

  get #nowMs(): number {
    return this.options.clock.now().getTime();
  }

  async #ask(): Promise<OwnerStatus> {
    const askedAtMs = this.#nowMs;
    const instance = this.options.hub === undefined ? undefined : await this.options.instance?.();
    const found = await this.#read(instance);
    const status = found.status.marks === undefined ? found.status : await this.#mark(found, instance);
    const before = this.latest;
    this.#known = { status, askedAtMs };
    const isNews = textOf(before) !== textOf(status);
    if (isNews) this.options.onNews?.(status, before);
    return status;
  }

  async #read(instance: string | undefined): Promise<Found> {
    const system = await this.#system();
    const annotations = system === undefined ? undefined : (system.metadata.annotations ?? {});
    return { status: this.#statusOf(annotations, instance), annotations, system };
  }

  #statusOf(annotations: Annotations | undefined, instance: string | undefined): OwnerStatus {
    const { client, clock, hub, access } = this.options;
    const now = clock.now();
    const text = annotations?.[QUESTION_ANNOTATION] ?? '';
    if (this.#question?.text !== text) this.#question = { text, seenAt: now };
    const questionSeenAt = this.#question.seenAt;
    return ownerStatus({ cluster: client.cluster, hub, instance, now, questionSeenAt, annotations, access });
  }

  /** Marks the cluster. If two hubs write at the same time, one does: the other finds its mark. */
  async #mark({ status, annotations, system }: Found, instance: string | undefined): Promise<OwnerStatus> {
    const { client, mayTake, beforeWrite, onMarksAwaited, onRefused } = this.options;
    const { marks } = status;
    if (marks === undefined || system === undefined) return status;
    if (!mayTake()) {
      if (status.isAwaited) onMarksAwaited?.();
      return status;
    }
    await beforeWrite?.();
    const { resourceVersion } = system.metadata;
    try {
      await client.patch(SYSTEM, { metadata: { resourceVersion, annotations: marks } });
      onRefused?.(undefined);
      return this.#statusOf(withMarks(annotations, marks), instance);
    } catch (error) {
      if (!KubeApiError.is(error) || error.status === 0 || error.status >= 500) throw error;
      if (error.reason === 'Conflict') return (await this.#read(instance)).status;
      onRefused?.(error.message);
      return status.acts
        ? status
        : { ...status, because: `${status.because}; it could not be asked: ${error.message}` };
    }
  }

  async #system(): Promise<KubernetesObject | undefined> {
    try {
      return await this.options.client.get(SYSTEM);
    } catch (error) {
      if (!KubeApiError.is(error, 'Forbidden')) throw error;
      return undefined;
    }
  }
}

type Annotations = Readonly<Record<string, string>>;

/** Status of a cluster, with the namespace that it was read from. */
type Found = Readonly<{
  status: OwnerStatus;
  annotations: Annotations | undefined;
  system: KubernetesObject | undefined;
}>;

const withMarks = (annotations: Annotations | undefined, marks: OwnerMarks): Annotations =>
  Object.fromEntries(
    Object.entries({ ...annotations, ...marks }).flatMap(([name, text]) => (text === null ? [] : [[name, text]])),
  );

/** Text of a status. Before the first answer the hub counts as the only one. */
const textOf = (status: OwnerStatus = { acts: true }): string =>
  status.acts ? `acts ${status.twin?.instance ?? ''}` : status.because;
