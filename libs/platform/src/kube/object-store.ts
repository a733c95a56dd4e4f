import type { KubernetesObject } from '#core/api/kubernetes-object';
import { byCodeUnit } from '#core/canonical/canonical-json';

type Named = Readonly<{ namespace?: string | undefined; name?: string | undefined }>;

/** Objects of one kind by namespace and name; cluster-scoped ones have the empty namespace. */
export class ObjectStore<T extends KubernetesObject> {
  readonly #namespaces = new Map<string, Map<string, T>>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  get({ namespace, name }: Named): T | undefined {
    return this.#namespaces.get(namespace ?? '')?.get(name ?? '');
  }

  set(object: T): void {
    const { namespace = '', name = '' } = object.metadata;
    let objects = this.#namespaces.get(namespace);
    if (objects === undefined) {
      objects = new Map();
      this.#namespaces.set(namespace, objects);
    }
    if (!objects.has(name)) this.#size += 1;
    objects.set(name, object);
  }

  delete({ namespace = '', name = '' }: Named): boolean {
    const objects = this.#namespaces.get(namespace);
    if (objects?.delete(name) !== true) return false;
    this.#size -= 1;
    if (objects.size === 0) this.#namespaces.delete(namespace);
    return true;
  }

  /** All objects, or those of one namespace, sorted by namespace and name. */
  list(namespace?: string): T[] {
    const names = namespace === undefined ? [...this.#namespaces.keys()].sort(byCodeUnit) : [namespace];
    return names.flatMap((name) => {
      const objects = this.#namespaces.get(name);
      return objects === undefined ? [] : [...objects].sort(([a], [b]) => byCodeUnit(a, b)).map(([, object]) => object);
    });
  }
}
