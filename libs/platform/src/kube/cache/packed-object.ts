import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { PACKED_BYTES } from '#core/kernel/read-budget/held-bytes';

/** Shorter texts gain nothing. */
const WORTH_DEFLATING = 4 * 1024;

/**
 * A cached object: lookup metadata (names, labels, versions) in memory, the rest as JSON text. A long text is
 * deflated by `deflate`, once the object is at rest: while an operator is installed, its objects change many
 * times a second.
 */
export class PackedObject implements KubernetesObject {
  [field: string]: unknown;
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: KubernetesObject['metadata'];
  [PACKED_BYTES]: number;
  /** Deflated: one byte a character, as a buffer is a small part of one of 16 KiB that it would keep. */
  #text: string;
  #isDeflated = false;
  #opened: WeakRef<KubernetesObject> | undefined;

  /**
   * Packs the object. `opened`: the object is about to be read, so that `open` gives the object passed here.
   */
  constructor(object: KubernetesObject, state?: 'opened') {
    const { apiVersion, kind, metadata } = object;
    const { name, namespace, uid, resourceVersion, labels, deletionTimestamp } = metadata;
    this.apiVersion = apiVersion;
    this.kind = kind;
    this.metadata = { name, namespace, uid, resourceVersion, labels, deletionTimestamp };
    this.#text = JSON.stringify(object);
    // Else not `object` itself: a weak reference keeps a new object until the whole heap is collected.
    this.#opened = state === 'opened' ? new WeakRef(object) : undefined;
    this[PACKED_BYTES] = this.#text.length;
  }

  /** True if deflating it would save memory. */
  get isLong(): boolean {
    return !this.#isDeflated && this.#text.length >= WORTH_DEFLATING;
  }

  /** The object. The result is weakly cached and shared, so do not mutate it. */
  open(): KubernetesObject {
    const held = this.#opened?.deref();
    if (held !== undefined) return held;
    const isDeflated = this.#isDeflated;
    const text = isDeflated ? inflateRawSync(Buffer.from(this.#text, 'latin1')).toString('utf8') : this.#text;
    const made: KubernetesObject = JSON.parse(text);
    this.#opened = new WeakRef(made);
    return made;
  }

  /** Notes the result of `open`: the object was read another way, and is about to be read again. */
  isOpenAs(object: KubernetesObject): void {
    this.#opened ??= new WeakRef(object);
  }

  /** Deflates the object. Returns the number of bytes saved. */
  deflate(): number {
    if (!this.isLong) return 0;
    const before = this[PACKED_BYTES];
    this.#text = deflateRawSync(this.#text, { level: 1 }).toString('latin1');
    this.#isDeflated = true;
    this[PACKED_BYTES] = this.#text.length;
    return before - this[PACKED_BYTES];
  }
}
