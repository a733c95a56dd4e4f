import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { byCodeUnit } from '#core/kernel/canonical/canonical-json';

type Named = Readonly<{ namespace?: string | undefined; name?: string | undefined }>;

/** Objects of one kind by namespace and name; cluster-scoped ones have the empty namespace. */
export class ObjectStore<T extends KubernetesObject> {
  readonly #namespaces = new Map<string, Map<string, T>>();
  #size = 0;
  #bytes = 0;

  /** `sizeOf`: the memory that an object takes. */
  constructor(private readonly sizeOf: (object: T) => number = () => 0) {}

  /** The memory that all objects take. */
  get bytes(): number {
    return this.#bytes;
  }

  get size(): number {
    return this.#size;
  }

  get({ namespace, name }: Named): T | undefined {
    return this.#namespaces.get(namespace ?? '')?.get(name ?? '');
  }

  /** An empty store that measures in the same way. */
  empty(): ObjectStore<T> {
    return new ObjectStore<T>(this.sizeOf);
  }

  /** The memory that all objects would take with this one. */
  bytesWith(object: T): number {
    const previous = this.get(object.metadata);
    return this.#bytes + this.sizeOf(object) - (previous === undefined ? 0 : this.sizeOf(previous));
  }

  set(object: T): void {
    const { namespace = '', name = '' } = object.metadata;
    let objects = this.#namespaces.get(namespace);
    if (objects === undefined) {
      objects = new Map();
      this.#namespaces.set(namespace, objects);
    }
    const previous = objects.get(name);
    if (previous === undefined) this.#size += 1;
    else this.#bytes -= this.sizeOf(previous);
    this.#bytes += this.sizeOf(object);
    objects.set(name, object);
  }

  delete({ namespace = '', name = '' }: Named): boolean {
    const objects = this.#namespaces.get(namespace);
    const previous = objects?.get(name);
    if (objects === undefined || previous === undefined) return false;
    objects.delete(name);
    this.#size -= 1;
    this.#bytes -= this.sizeOf(previous);
    if (objects.size === 0) this.#namespaces.delete(namespace);
    return true;
  }

  /** All objects, or those of one namespace, where `selected`; sorted by namespace and name. */
  list(namespace?: string, selected: (object: T) => boolean = () => true): T[] {
    const names = namespace === undefined ? [...this.#namespaces.keys()].sort(byCodeUnit) : [namespace];
    return names.flatMap((name) => {
      const objects = [...(this.#namespaces.get(name) ?? [])].filter(([, object]) => selected(object));
      return objects.sort(([a], [b]) => byCodeUnit(a, b)).map(([, object]) => object);
    });
  }
}
