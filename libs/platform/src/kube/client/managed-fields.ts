import { z } from 'zod';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';

const ManagedFields = z.array(z.looseObject({ manager: z.unknown(), time: z.unknown() }));

/**
 * The object without `metadata.managedFields`, often half of its bytes; the API server keeps them through
 * writes that leave them out.
 */
export function withoutManagedFields<T extends KubernetesObject>(object: T): T {
  if (object.metadata['managedFields'] === undefined) return object;
  const { managedFields: _servers, ...metadata } = object.metadata;
  return { ...object, metadata };
}

/** The object with `metadata.managedFields` reduced to managers and times. */
export function withManagersOnly(object: KubernetesObject): KubernetesObject {
  const entries = ManagedFields.safeParse(object.metadata['managedFields']);
  if (!entries.success) return withoutManagedFields(object);
  const managedFields = entries.data.map(({ manager, time }) => ({ manager, time }));
  return { ...object, metadata: { ...object.metadata, managedFields } };
}
