import { z } from 'zod';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';

const ManagedFields = z.array(z.looseObject({ manager: z.unknown(), time: z.unknown() }));

/**
 * The object without `metadata.managedFields`, often half of its bytes; the API server keeps them through writes that leave
 * them out.
 */
export function withoutManagedFields<T extends KubernetesObject>(object: T): T {
  if (object.metadata['managedFields'] === undefined) return object;
  const { managedFields: _servers, ...metadata } = object.metadata;
  return { ...object, metadata };
}

/** The object with no more of `metadata.managedFields` than who wrote, and when. */
export function withManagersOnly(object: KubernetesObject): KubernetesObject {
  const entries = ManagedFields.safeParse(object.metadata['managedFields']);
  if (!entries.success) return withoutManagedFields(object);
  const managedFields = entries.data.map(({ manager, time }) => ({ manager, time }));
  return { ...object, metadata: { ...object.metadata, managedFields } };
}
