import type { KubernetesObject, ObjectRef } from '#core/kernel/api/kubernetes-object';
import type { KindWatch } from './kind-watch.js';
import { Reflector } from './reflector.js';
import type { ReflectorOptions } from './reflector-options.js';
import type { SharedObject } from './shared-object.js';

type SharingWatchOptions = Omit<ReflectorOptions<SharedObject>, 'keep' | 'handlers' | 'handlerBytes'> &
  Readonly<{
    /** Returns the parts to keep of an object. */
    keep: (object: KubernetesObject) => SharedObject;
    handlerBytes?: (object: KubernetesObject) => number;
    handlers: HeldHandlers;
  }>;

/** `held` is the object as `keep` returned it. It is absent if that is `object` itself. */
export type HeldHandlers = Readonly<{
  onChange: (object: KubernetesObject, previous: KubernetesObject | undefined, held?: KubernetesObject) => void;
  onDelete: (object: KubernetesObject, held?: KubernetesObject) => void;
}>;

class OpeningHandlers {
  constructor(private readonly handlers: HeldHandlers) {}

  onChange(object: SharedObject, previous: SharedObject | undefined): void {
    this.handlers.onChange(object.open(), previous?.open(), object);
  }

  onDelete(object: SharedObject): void {
    this.handlers.onDelete(object.open(), object);
  }
}

/** A watch of a kind. Its objects share equal values with those of other clusters. */
export class SharingWatch implements KindWatch {
  readonly #reflector: Reflector<SharedObject>;

  constructor({ handlers, ...options }: SharingWatchOptions) {
    this.#reflector = new Reflector<SharedObject>({ ...options, handlers: new OpeningHandlers(handlers) });
  }

  start(): void {
    this.#reflector.start();
  }

  stop(): Promise<void> {
    return this.#reflector.stop();
  }

  synced(): boolean {
    return this.#reflector.synced();
  }

  whenSynced(): Promise<void> {
    return this.#reflector.whenSynced();
  }

  served(): boolean {
    return this.#reflector.served();
  }

  lastSeen(): Date {
    return this.#reflector.lastSeen();
  }

  problem(): string | undefined {
    return this.#reflector.problem();
  }

  list(namespace?: string, where?: (object: KubernetesObject) => boolean): KubernetesObject[] {
    return this.#reflector.list(namespace, where).map((object) => object.open());
  }

  metadata(): KubernetesObject['metadata'][] {
    return this.#reflector.metadata();
  }

  get(ref: ObjectRef): KubernetesObject | undefined {
    return this.#reflector.get(ref)?.open();
  }
}
