import type { KubernetesObject, ObjectRef } from '#core/kernel/api/kubernetes-object';
import type { KindCache } from './kind-cache.js';
import type { KindWatch } from './kind-watch.js';
import type { PackedObject } from './packed-object.js';

type SharedKindOptions = Readonly<{
  cache: KindCache;
  /** The objects that are wanted, by their names and labels. */
  selected: (object: KubernetesObject) => boolean;
  /** Returns the wanted parts of an object. */
  keep: (object: KubernetesObject) => KubernetesObject;
  handlers: Readonly<{
    onChange: (object: KubernetesObject, previous: KubernetesObject | undefined) => void;
    onDelete: (object: KubernetesObject) => void;
  }>;
}>;

/**
 * Objects of a kind from the cache of another role of this process, in place of a watch of one's own. Keeps
 * nothing itself. Each read opens an object and cuts it down to the wanted parts.
 */
export class SharedKind implements KindWatch {
  readonly #options: SharedKindOptions;
  #unfollow: (() => void) | undefined;

  constructor(options: SharedKindOptions) {
    this.#options = options;
  }

  start(): void {
    const { handlers } = this.#options;
    this.#unfollow ??= this.#options.cache.follow({
      onChange: (object, previous) => this.#changed(object, previous),
      onDelete: (object) => {
        if (this.#options.selected(object)) handlers.onDelete(this.#read(object));
      },
    });
  }

  /** Stops reading; the cache continues for its other readers. */
  async stop(): Promise<void> {
    this.#unfollow?.();
  }

  synced(): boolean {
    return this.#unfollow !== undefined && this.#options.cache.watch.synced();
  }

  whenSynced(): Promise<void> {
    return this.#options.cache.watch.whenSynced();
  }

  served(): boolean {
    return this.#options.cache.watch.served();
  }

  lastSeen(): Date {
    return this.#options.cache.watch.lastSeen();
  }

  problem(): string | undefined {
    return this.#options.cache.watch.problem();
  }

  /** Opens only the objects that `where` accepts. `where` sees names and labels alone. */
  list(namespace?: string, where: (object: KubernetesObject) => boolean = () => true): KubernetesObject[] {
    const { cache, selected } = this.#options;
    return cache
      .list(namespace)
      .filter((object) => selected(object) && where(object))
      .map((object) => this.#read(object));
  }

  metadata(): KubernetesObject['metadata'][] {
    const { cache, selected } = this.#options;
    return cache
      .list()
      .filter(selected)
      .map(({ metadata }) => metadata);
  }

  get(ref: ObjectRef): KubernetesObject | undefined {
    const found = this.#options.cache.get(ref);
    return found !== undefined && this.#options.selected(found) ? this.#read(found) : undefined;
  }

  /** Reports a change. An object that lost its selecting label is gone, as in a watch with that selector. */
  #changed(object: PackedObject, previous: PackedObject | undefined): void {
    const { selected, handlers } = this.#options;
    const before = previous !== undefined && selected(previous) ? this.#read(previous) : undefined;
    if (selected(object)) handlers.onChange(this.#read(object), before);
    else if (before !== undefined) handlers.onDelete(before);
  }

  #read(object: PackedObject): KubernetesObject {
    return this.#options.keep(object.open());
  }
}
