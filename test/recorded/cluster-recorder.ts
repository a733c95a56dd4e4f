import type { KubernetesObject, ObjectRef } from '#core/kernel/api/kubernetes-object';
import { SystemClock } from '#platform/clock/system-clock';
import { WatchCache } from '#platform/kube/cache/watch-cache';
import type { KindRef, KubeClient } from '#platform/kube/client/kube-client.port';
import { keyOf } from './dump.js';
import type { Scope } from './scope.js';

const V1ALPHA1 = 'operators.coreos.com/v1alpha1';
const KINDS: readonly KindRef[] = [
  ...['ClusterServiceVersion', 'InstallPlan', 'Subscription', 'CatalogSource'].map((kind) => ({
    apiVersion: V1ALPHA1,
    kind,
  })),
  { apiVersion: 'operators.coreos.com/v1', kind: 'OperatorGroup' },
  { apiVersion: 'apps/v1', kind: 'Deployment' },
];

type Recorded = Readonly<{ namespace: string; object: string; state: KubernetesObject | undefined }>;

/** Records every state of the objects of one cluster that a watch reports, in order. */
export class ClusterRecorder {
  readonly #recorded: Recorded[] = [];
  readonly #lastMove = new Map<string, number>();
  readonly #cache: WatchCache;

  constructor(client: KubeClient) {
    this.#cache = new WatchCache({
      client,
      kinds: KINDS,
      clock: new SystemClock(),
      absentKindRetryMs: 200,
      onChange: ({ kind }, object, previous) => this.#note(kind, object, previous),
    });
  }

  async start(): Promise<void> {
    this.#cache.start();
    await this.#cache.whenSynced();
  }

  stop(): Promise<void> {
    return this.#cache.stop();
  }

  /** States of the scenario's objects of that kind, by `namespace/name`, in the order seen. */
  statesOf(kind: string, { namespaces }: Scope): Map<string, KubernetesObject[]> {
    const states = new Map<string, KubernetesObject[]>();
    for (const { namespace, object, state } of this.#recorded) {
      if (state?.kind !== kind || !namespaces.has(namespace)) continue;
      states.set(object, [...(states.get(object) ?? []), state]);
    }
    return states;
  }

  /** The objects of a kind as they are now; undefined for kinds that are not watched. */
  now(kind: string): readonly KubernetesObject[] | undefined {
    const watched = KINDS.find((one) => one.kind === kind);
    return watched && this.#cache.list(watched);
  }

  /** Identifies one state of an object. Undefined if it is not watched or does not exist. */
  versionOf({ kind, namespace, name }: ObjectRef): string | undefined {
    const found = this.now(kind)?.find(({ metadata }) => metadata.namespace === namespace && metadata.name === name);
    return found?.metadata.resourceVersion;
  }

  /** Time without a change in the scenario's namespaces. */
  quietMs({ namespaces }: Scope): number {
    const moves = [...namespaces].map((namespace) => this.#lastMove.get(namespace) ?? 0);
    return performance.now() - Math.max(...moves);
  }

  #note(kind: string, state: KubernetesObject | undefined, previous: KubernetesObject | undefined): void {
    const subject = state ?? previous;
    const namespace = subject?.metadata.namespace;
    if (subject === undefined || namespace === undefined) return;
    this.#lastMove.set(namespace, performance.now());
    this.#recorded.push({ namespace, object: keyOf(subject), state: state && { ...state, kind } });
  }
}
