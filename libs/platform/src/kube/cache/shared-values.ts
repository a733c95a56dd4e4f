import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { heldBytes, OWN_BYTES } from '#core/kernel/read-budget/held-bytes';

/** Beyond, all are forgotten: what is in use stays where it is, and later values are shared anew. */
const MOST_VALUES = 50_000;
const MOST_CHARACTERS = 8 * 1024 * 1024;
/** Two objects, their entry in a store, and members that refer to shared values. */
const OBJECT_BYTES = 320;

/**
 * One copy of each value that many objects have. The clusters of a fleet hold the same operators: of a
 * ClusterServiceVersion, all but its resourceVersion is equal in each of them. Shared values must not be
 * changed.
 */
export class SharedValues {
  readonly #values = new Map<string, unknown>();
  #characters = 0;
  /** Of all values that no object before had. */
  #newBytes = 0;

  constructor(private readonly most = { values: MOST_VALUES, characters: MOST_CHARACTERS }) {}

  get size(): number {
    return this.#values.size;
  }

  /**
   * Names, labels, annotations, spec and status of the object, shared but for its resourceVersion and uid.
   * Budgets count what it holds alone: itself, and the values that no object before it had.
   */
  within(object: KubernetesObject): KubernetesObject {
    const { apiVersion, kind, metadata, spec, status } = object;
    const { name, namespace, labels, annotations, uid, resourceVersion } = metadata;
    const before = this.#newBytes;
    // Literals: V8 gives an object that is put together from entries twice the memory.
    const shared = {
      apiVersion: this.#one(apiVersion),
      kind: this.#one(kind),
      metadata: {
        name: this.#one(name),
        namespace: this.#one(namespace),
        labels: this.#one(labels),
        annotations: this.#one(annotations),
        uid,
        resourceVersion,
      },
      spec: this.#one(spec),
      status: this.#one(status),
      [OWN_BYTES]: OBJECT_BYTES,
    };
    shared[OWN_BYTES] += heldBytes([uid, resourceVersion]) + this.#newBytes - before;
    return shared as unknown as KubernetesObject;
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
