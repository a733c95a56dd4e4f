import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';

/** Shorter texts gain nothing. */
const WORTH_DEFLATING = 4 * 1024;

/**
 * A cached object: lookup metadata (names, labels, versions) in memory, the rest as JSON text, deflated where
 * it is long. `open()` parses; the result is weakly cached and shared, so do not mutate it.
 */
export type PackedObject = KubernetesObject & Readonly<{ open: () => KubernetesObject; packedBytes: number }>;

export function pack(object: KubernetesObject): PackedObject {
  const { apiVersion, kind, metadata } = object;
  const { name, namespace, uid, resourceVersion, labels, deletionTimestamp } = metadata;
  const text = JSON.stringify(object);
  const packed = text.length < WORTH_DEFLATING ? text : deflateRawSync(text, { level: 1 });
  // Not `object` itself: a weak reference keeps a new object until the next collection of the whole heap.
  let opened: WeakRef<KubernetesObject> | undefined;
  const open = () => {
    const held = opened?.deref();
    if (held !== undefined) return held;
    const json = typeof packed === 'string' ? packed : inflateRawSync(packed).toString('utf8');
    const made: KubernetesObject = JSON.parse(json);
    opened = new WeakRef(made);
    return made;
  };
  const found = { name, namespace, uid, resourceVersion, labels, deletionTimestamp };
  return { apiVersion, kind, metadata: found, open, packedBytes: packed.length };
}
