import { type HubIdentity, OWNER_ANNOTATION, type OwnerStatus, ownerStatus } from '#core/fleet/joining/cluster-owner';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import type { Clock } from '../clock/clock.port.js';
import { KubeApiError, type KubeClient } from '../kube/client/kube-client.port.js';

export type OwnerCheckOptions = Readonly<{
  client: KubeClient;
  clock: Clock;
  hub: HubIdentity | undefined;
  /** Whether this process may write to the cluster that this hub manages it. */
  mayTake: () => boolean;
  /** What comes first: called before that is written, which waits for it. Default: nothing. */
  beforeWrite?: (() => Promise<void> | undefined) | undefined;
  /** Options by which commands reach the cluster. Default: its context. */
  access?: string | undefined;
  /** Called when the status has changed; for the first one only where another hub manages the cluster. */
  onNews?: (status: OwnerStatus) => void;
  /** The API server refuses to have the cluster marked; `undefined`: no more. */
  onRefused?: (because: string | undefined) => void;
}>;

/** Without a write, who manages the cluster is asked again after so long: this hub does; another one does. */
const ACTING_MS = 5 * 60 * 60_000;
const WAITING_MS = 60_000;
/**
 * A write that comes later than this after the last answer asks anew: another hub that takes the cluster over
 * waits no longer for this one to stop.
 */
export const OWNER_CONFIRMED_MS = 10_000;

const SYSTEM = { apiVersion: 'v1', kind: 'Namespace', name: 'kube-system' };

/**
 * Which hub manages a cluster. A hub writes once that it does, and asks again before it writes: nothing is
 * renewed, so that a cluster at rest costs nothing.
 */
export class OwnerCheck {
  #known: Readonly<{ status: OwnerStatus; askedAtMs: number }> | undefined;
  #asking: Promise<OwnerStatus> | undefined;

  constructor(private readonly options: OwnerCheckOptions) {}

  /** The last answer; undefined before the first one. */
  get latest(): OwnerStatus | undefined {
    return this.#known?.status;
  }

  /** Milliseconds after which {@link status} asks anew. */
  get againAfterMs(): number {
    return this.latest?.acts === false ? WAITING_MS : ACTING_MS;
  }

  /** Rejects where the cluster does not answer. */
  async status(): Promise<OwnerStatus> {
    return this.#isYounger(this.againAfterMs) && this.#known !== undefined ? this.#known.status : this.ask();
  }

  /** Before a write: undefined where the last answer is recent. */
  confirm(): Promise<OwnerStatus> | undefined {
    return this.#isYounger(OWNER_CONFIRMED_MS) ? undefined : this.ask();
  }

  /** Asks the cluster, and marks it as this hub's where no hub manages it. */
  async ask(): Promise<OwnerStatus> {
    this.#asking ??= this.#ask().finally(() => {
      this.#asking = undefined;
    });
    return this.#asking;
  }

  #isYounger(ms: number): boolean {
    return this.#known !== undefined && this.#nowMs - this.#known.askedAtMs < ms;
  }

  get #nowMs(): number {
    return this.options.clock.now().getTime();
  }

  async #ask(): Promise<OwnerStatus> {
    const askedAtMs = this.#nowMs;
    const system = await this.#system();
    const found = this.#statusOf(system);
    const status = found.acts && found.isToBeWritten && system !== undefined ? await this.#take(system) : found;
    const before = this.latest;
    this.#known = { status, askedAtMs };
    const isNews = before === undefined ? !status.acts : textOf(before) !== textOf(status);
    if (isNews) this.options.onNews?.(status);
    return status;
  }

  #statusOf(system: KubernetesObject | undefined): OwnerStatus {
    const { client, hub, access } = this.options;
    const annotations = system === undefined ? undefined : (system.metadata.annotations ?? {});
    return ownerStatus({ cluster: client.cluster, hub, annotations, access });
  }

  /** Of two hubs that write at the same time one does: the other finds its mark. */
  async #take(system: KubernetesObject): Promise<OwnerStatus> {
    const { client, hub, mayTake, beforeWrite, onRefused } = this.options;
    const status = this.#statusOf(system);
    if (hub === undefined || !mayTake()) return status;
    await beforeWrite?.();
    const { resourceVersion } = system.metadata;
    try {
      await client.patch(SYSTEM, { metadata: { resourceVersion, annotations: { [OWNER_ANNOTATION]: hub.id } } });
      onRefused?.(undefined);
      return { acts: true, isToBeWritten: false };
    } catch (error) {
      if (!KubeApiError.is(error) || error.status === 0 || error.status >= 500) throw error;
      if (error.reason !== 'Conflict') onRefused?.(error.message);
      return this.#statusOf(await this.#system());
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

const textOf = (status: OwnerStatus): string => (status.acts ? 'acts' : status.because);
