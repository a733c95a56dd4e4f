import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { heldBytes } from '#core/kernel/read-budget/held-bytes';
import { SharedObject } from './shared-object.js';

/**
 * Most shared values. Beyond, all are forgotten: values in use stay in place, and later values are shared
 * again.
 */
const MOST_VALUES = 50_000;
const MOST_CHARACTERS = 8 * 1024 * 1024;
/** A shared object and its entry in a store. */
const OBJECT_BYTES = 128;
/** Memory that equal objects share, in addition to their values. */
const SHARED_BYTES = 192;

/**
 * One copy of each value that many objects have. The clusters of a fleet hold the same operators: of a
 * ClusterServiceVersion, all but its resourceVersion is equal in each of them. Shared values must not be
 * changed.
 */
export class SharedValues {
  readonly #values = new Map<string, unknown>();
  /**
   * Whole objects without their resourceVersion and uid. Apart, as each cluster may have objects of its own
   * names.
   */
  readonly #objects = new Map<string, KubernetesObject>();
  #characters = 0;
  #objectCharacters = 0;
  /** Bytes of all values that no object before had. */
  #newBytes = 0;

  constructor(private readonly most = { values: MOST_VALUES, characters: MOST_CHARACTERS }) {}

  get size(): number {
    return this.#values.size + this.#objects.size;
  }

  /**
   * Returns names, labels, annotations, spec and status of the object, shared but for its resourceVersion and
   * uid. Budgets count only the memory that it holds alone: itself, and the values that no object before it
   * had.
   */
  within(object: KubernetesObject): SharedObject {
    const before = this.#newBytes;
    const shared = this.#whole(object);
    const bytes = OBJECT_BYTES + heldBytes(object.metadata.uid) + this.#newBytes - before;
    return new SharedObject(shared, object.metadata, bytes);
  }

  #whole({ apiVersion, kind, metadata, spec, status }: KubernetesObject): KubernetesObject {
    const { name, namespace, labels, annotations } = metadata;
    const text = JSON.stringify([apiVersion, kind, name, namespace, labels, annotations, spec, status]);
    const known = this.#objects.get(text);
    if (known !== undefined) return known;
    this.#objectCharacters += text.length;
    if (this.#objects.size >= this.most.values || this.#objectCharacters > this.most.characters) {
      this.#objects.clear();
      this.#objectCharacters = text.length;
    }
    // Literals: V8 gives an object that is put together from entries twice the memory.
    const shared = {
      apiVersion: this.#one(apiVersion),
      kind: this.#one(kind),
      metadata: {
        name: this.#one(name),
        namespace: this.#one(namespace),
        labels: this.#one(labels),
        annotations: this.#one(annotations),
      },
      spec: this.#one(spec),
      status: this.#one(status),
    } as KubernetesObject;
    this.#objects.set(text, shared);
    this.#newBytes += SHARED_BYTES;
    return shared;
  }

  #one(value: unknown): unknown {
    if (typeof value !== 'string' && (typeof value !== 'object' || value === null)) return value;
    const text = JSON.stringify(value);
    const known = this.#values.get(text);
    if (known !== undefined) return known;
    this.#characters += text.length;
    if (this.#values.size >= this.most.values || this.#characters > this.most.characters) {
      this.#values.clear();
      this.#characters = text.length;
    }
    this.#values.set(text, value);
    this.#newBytes += heldBytes(value);
    return value;
  }
}
