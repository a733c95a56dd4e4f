import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { byCodeUnit } from '#core/kernel/canonical/canonical-json';
import { isAsNewAs } from '#core/kernel/history/resource-version';
import { SmallMap } from './small-map.js';

type Named = Readonly<{ namespace?: string | undefined; name?: string | undefined }>;

/** The objects of one namespace by name; the only one itself, as most namespaces of most kinds have one. */
type Held<T> = SmallMap<T> | T;

/** A list of so many is kept sorted: each pass over a namespace of a large cluster asks for it. */
const WORTH_KEEPING = 256;

/** Objects of one kind by namespace and name; cluster-scoped ones have the empty namespace. */
export class ObjectStore<T extends KubernetesObject> {
  readonly #namespaces = new SmallMap<Held<T>>();
  /** All objects in the order of the last list. Undefined if one was added or removed since. */
  #sorted: readonly T[] | undefined;
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
    const held = this.#namespaces.get(namespace ?? '');
    if (held instanceof SmallMap) return held.get(name ?? '');
    return held !== undefined && nameOf(held) === (name ?? '') ? held : undefined;
  }

  /** An object in it takes so many bytes less than before. */
  lighten(bytes: number): void {
    this.#bytes -= bytes;
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
    const previous = this.get(object.metadata);
    if (previous === undefined) {
      this.#size += 1;
      this.#sorted = undefined;
    } else {
      this.#bytes -= this.sizeOf(previous);
      this.#sorted = this.#sorted && withReplaced(this.#sorted, object);
    }
    this.#bytes += this.sizeOf(object);
    const held = this.#namespaces.get(namespace);
    if (held instanceof SmallMap) held.set(name, object);
    else if (held === undefined || held === previous) this.#namespaces.set(namespace, object);
    else this.#namespaces.set(namespace, new SmallMap([held, object].map((one) => [nameOf(one), one])));
  }

  delete({ namespace = '', name = '' }: Named): boolean {
    const previous = this.get({ namespace, name });
    if (previous === undefined) return false;
    const held = this.#namespaces.get(namespace);
    if (held instanceof SmallMap) held.delete(name);
    if (!(held instanceof SmallMap) || held.size === 0) this.#namespaces.delete(namespace);
    this.#size -= 1;
    this.#sorted = undefined;
    this.#bytes -= this.sizeOf(previous);
    return true;
  }

  /** The object with the newest resourceVersion. */
  newest(): T | undefined {
    let newest: T | undefined;
    const note = (object: T) => {
      if (!isAsNewAs(newest?.metadata.resourceVersion, object.metadata.resourceVersion)) newest = object;
    };
    for (const [, held] of this.#namespaces.entries()) {
      if (held instanceof SmallMap) for (const [, object] of held.entries()) note(object);
      else note(held);
    }
    return newest;
  }

  /** All objects, or those of one namespace; sorted by namespace and name. */
  list(namespace?: string): readonly T[] {
    if (namespace !== undefined) return this.listWhere(namespace, () => true);
    const sorted = this.#sorted ?? this.listWhere(undefined, () => true);
    if (sorted.length >= WORTH_KEEPING) this.#sorted = sorted;
    return sorted;
  }

  /** Returns the selected ones of all objects, or of those of one namespace, sorted by namespace and name. */
  listWhere(namespace: string | undefined, selected: (object: T) => boolean): T[] {
    const names = namespace === undefined ? this.#namespaces.keys().sort(byCodeUnit) : [namespace];
    return names.flatMap((name) => {
      const held = this.#namespaces.get(name);
      if (held === undefined) return [];
      if (!(held instanceof SmallMap)) return selected(held) ? [held] : [];
      const objects = held.entries().filter(([, object]) => selected(object));
      return objects.sort(([a], [b]) => byCodeUnit(a, b)).map(([, object]) => object);
    });
  }
}

const nameOf = ({ metadata }: KubernetesObject): string => metadata.name ?? '';

/** The order of lists: by namespace and name. */
export const byPlace = (a: Named, b: Named): number =>
  byCodeUnit(a.namespace ?? '', b.namespace ?? '') || byCodeUnit(a.name ?? '', b.name ?? '');

/** Returns the index of this place's object in a sorted list, or the index at which to insert it. */
export function placeIn(sorted: readonly KubernetesObject[], named: Named): number {
  let from = 0;
  for (let to = sorted.length; from < to; ) {
    const middle = (from + to) >>> 1;
    const at = sorted[middle];
    if (at !== undefined && byPlace(at.metadata, named) < 0) from = middle + 1;
    else to = middle;
  }
  return from;
}

/** Returns a copy: an earlier list stays as it was. */
const withReplaced = <T extends KubernetesObject>(sorted: readonly T[], object: T): readonly T[] =>
  sorted.with(placeIn(sorted, object.metadata), object);
