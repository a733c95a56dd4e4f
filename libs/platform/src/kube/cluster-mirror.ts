import type { KubernetesObject, ObjectRef } from '#core/kernel/api/kubernetes-object';
import type { Clock } from '../clock/clock.port.js';
import type { Log } from '../telemetry/log.port.js';
import { KindMirror } from './kind-mirror.js';
import type { KindRef, KubeClient, ListOptions } from './kube-client.port.js';
import type { SeenVersions } from './resource-version.js';
import { selects } from './selects.js';

/** A kind to mirror: all of its objects, or those with a label. */
export type MirroredKind = KindRef &
  Readonly<{ labelSelector?: string; reduce?: (object: KubernetesObject) => KubernetesObject }>;

export type ClusterMirrorOptions = Readonly<{
  client: KubeClient;
  clock: Clock;
  log: Log;
  kinds: readonly MirroredKind[];
  /** An object of one of the kinds appeared, changed or went, after the first list of them. */
  onMoved?: (kind: string, metadata: KubernetesObject['metadata']) => void;
}>;

type Held = Readonly<{ kind: MirroredKind; mirror: KindMirror; selected: (object: KubernetesObject) => boolean }>;

/** How often to look whether a watch has come as far as somebody who waits has seen. */
const LOOK_EVERY_MS = 5;

/**
 * One cluster's objects of a set of kinds, from watches and from the answers to our own writes. It may be some
 * milliseconds behind the cluster, and says so when it is further: questions that it cannot answer it does not answer.
 */
export class ClusterMirror {
  readonly #kinds: ReadonlyMap<string, Held>;
  readonly #clock: Clock;

  constructor({ kinds, client, clock, log, onMoved }: ClusterMirrorOptions) {
    this.#clock = clock;
    this.#kinds = new Map(
      kinds.map((kind) => {
        const { labelSelector, reduce, apiVersion } = kind;
        const options = labelSelector === undefined ? {} : { labelSelector };
        const selected = selects(options) ?? (() => false);
        const mirror = new KindMirror({
          client,
          clock,
          log,
          kind: { apiVersion, kind: kind.kind },
          options,
          selected,
          ...(onMoved === undefined ? {} : { onMoved: (metadata) => onMoved(kind.kind, metadata) }),
          ...(reduce === undefined ? {} : { reduce }),
        });
        return [kind.kind, { kind, mirror, selected }];
      }),
    );
  }

  start(): void {
    for (const { mirror } of this.#kinds.values()) mirror.start();
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#kinds.values()].map(({ mirror }) => mirror.stop()));
  }

  /** When the API server last told something about any kind. */
  lastSeen(): Date {
    return new Date(Math.max(0, ...[...this.#kinds.values()].map(({ mirror }) => mirror.lastSeen().getTime())));
  }

  /** The kinds among these whose watches have not come as far within `patienceMs`. */
  async behind(seen: SeenVersions, patienceMs: number): Promise<readonly string[]> {
    for (const deadline = this.#clock.now().getTime() + patienceMs; ; ) {
      const behind = Object.entries(seen).filter(
        ([kind, version]) => this.#kinds.get(kind)?.mirror.hasReached(version) === false,
      );
      // A watch that is broken is not waited for: its kind is not answered for anyway.
      const coming = behind.filter(([kind]) => this.#kinds.get(kind)?.mirror.current === true);
      if (coming.length === 0 || this.#clock.now().getTime() >= deadline) return behind.map(([kind]) => kind);
      await this.#clock.sleep(LOOK_EVERY_MS);
    }
  }

  /** Undefined where it cannot be told from here. */
  list({ apiVersion, kind }: KindRef, options: ListOptions): readonly KubernetesObject[] | undefined {
    const held = this.#heldOf({ apiVersion, kind });
    if (held === undefined) return undefined;
    const wanted = selects(options);
    const { labelSelector } = held.kind;
    const within = labelSelector === undefined || (options.labelSelector ?? '').split(',').includes(labelSelector);
    if (wanted === undefined || !within) return undefined;
    return held.mirror
      .list(options.namespace)
      .filter(wanted)
      .map((object) => object.open());
  }

  /** `found` is undefined where there is none; the answer is undefined where it cannot be told from here. */
  get(ref: ObjectRef): Readonly<{ found: KubernetesObject | undefined }> | undefined {
    const held = this.#heldOf(ref);
    return held === undefined || held.kind.labelSelector !== undefined
      ? undefined
      : { found: held.mirror.get(ref)?.open() };
  }

  /** What the API server answered to a write of ours. */
  noteWritten(object: KubernetesObject): void {
    this.#of(object)?.mirror.noteWritten(object);
  }

  noteDeleted(ref: ObjectRef): void {
    this.#of(ref)?.mirror.noteDeleted(ref);
  }

  #heldOf(kind: KindRef): Held | undefined {
    const held = this.#of(kind);
    return held?.mirror.current === true ? held : undefined;
  }

  #of({ apiVersion, kind }: KindRef): Held | undefined {
    const held = this.#kinds.get(kind);
    return held?.kind.apiVersion === apiVersion ? held : undefined;
  }
}
