import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { PACKED_BYTES } from '#core/kernel/read-budget/held-bytes';

/** Shorter texts gain nothing. */
const WORTH_DEFLATING = 4 * 1024;

/**
 * A cached object: lookup metadata (names, labels, versions) in memory, the rest as JSON text, deflated where
 * it is long. `open()` parses; the result is weakly cached and shared, so do not mutate it.
 */
export type PackedObject = KubernetesObject & Readonly<{ open: () => KubernetesObject; [PACKED_BYTES]: number }>;

/** `opened`: the object is about to be read, so that what is given here is what `open` gives. */
export function pack(object: KubernetesObject, state?: 'opened'): PackedObject {
  const { apiVersion, kind, metadata } = object;
  const { name, namespace, uid, resourceVersion, labels, deletionTimestamp } = metadata;
  const text = JSON.stringify(object);
  const isDeflated = text.length >= WORTH_DEFLATING;
  // As text of one byte a character: the buffer is a small part of one of 16 KiB that it would keep.
  const packed = isDeflated ? deflateRawSync(text, { level: 1 }).toString('latin1') : text;
  // Else not `object` itself: a weak reference keeps a new object until the whole heap is collected.
  let opened = state === 'opened' ? new WeakRef(object) : undefined;
  const open = () => {
    const held = opened?.deref();
    if (held !== undefined) return held;
    const json = isDeflated ? inflateRawSync(Buffer.from(packed, 'latin1')).toString('utf8') : packed;
    const made: KubernetesObject = JSON.parse(json);
    opened = new WeakRef(made);
    return made;
  };
  const found = { name, namespace, uid, resourceVersion, labels, deletionTimestamp };
  return { apiVersion, kind, metadata: found, open, [PACKED_BYTES]: packed.length };
}
