import { KIND } from '#core/kernel/api/kinds';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { MANAGED_SELECTOR } from '#core/kernel/api/owner-labels';
import type { Clock } from '#platform/clock/clock.port';
import { Reflector } from '#platform/kube/cache/reflector';
import type { KubeClient } from '#platform/kube/client/kube-client.port';

/** The Secrets that Flotilla makes for operators: serving certificates. */
export const MANAGED_SECRETS = { ...KIND.Secret, labelSelector: MANAGED_SELECTOR } as const;

type ManagedSecretsOptions = Readonly<{
  client: KubeClient;
  clock: Clock;
  /** Called when a Secret of this namespace was changed or deleted. */
  onMoved: (namespace: string) => void;
}>;

/**
 * A light watch of the managed Secrets of a cluster. It continues while the cluster is idle, because a Secret
 * that a user deletes must be recreated at once. Keeps names and versions alone.
 */
export class ManagedSecrets {
  #watch: Reflector | undefined;
  #stopped = false;

  constructor(private readonly options: ManagedSecretsOptions) {}

  /** True if every change is reported. */
  get isCurrent(): boolean {
    return this.#watch?.synced() === true && this.#watch.problem() === undefined;
  }

  /** Returns the time at which the API server last sent something. Undefined if nothing is watched. */
  lastSeen(): Date | undefined {
    return this.#watch?.lastSeen();
  }

  /** Returns the problems that keep the watch from being up to date. Empty while nothing is watched. */
  problems(): readonly string[] {
    return [this.#watch?.problem() ?? []].flat();
  }

  start(): void {
    this.#started();
  }

  /** Like {@link start}, but the watch ends if its first list is empty. */
  async startIfAny(): Promise<void> {
    if (this.#isStarted()) return;
    const watch = this.#started();
    await watch?.whenSynced();
    if (watch === undefined || watch !== this.#watch || watch.list().length > 0) return;
    this.#watch = undefined;
    await watch.stop();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#watch?.stop();
  }

  #isStarted(): boolean {
    return this.#watch !== undefined;
  }

  #started(): Reflector | undefined {
    if (this.#watch !== undefined || this.#stopped) return this.#watch;
    const { client, clock, onMoved } = this.options;
    const { apiVersion, kind, labelSelector } = MANAGED_SECRETS;
    const moved = ({ metadata: { namespace } }: KubernetesObject) => {
      if (watch.synced() && namespace !== undefined) onMoved(namespace);
    };
    const handlers = { onChange: moved, onDelete: moved };
    const options = { labelSelector };
    const watch: Reflector = new Reflector({
      ...{ client, clock, handlers, options, keep: namesOnly },
      kind: { apiVersion, kind },
    });
    this.#watch = watch;
    watch.start();
    return watch;
  }
}

function namesOnly({ apiVersion, kind, metadata }: KubernetesObject): KubernetesObject {
  const { name, namespace, resourceVersion } = metadata;
  return { apiVersion, kind, metadata: { name, namespace, resourceVersion } };
}
