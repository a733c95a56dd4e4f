import { z } from 'zod';
import { APPLIER } from '../actions/field-managers.js';
import type { KubernetesObject } from '../api/kubernetes-object.js';

const ManagedFields = z.array(z.looseObject({ manager: z.string().optional(), time: z.string().optional() }));

/**
 * Returns the milliseconds since the epoch of an object's creation or its last change by another writer.
 * Returns 0 if its managed fields do not show it. The applier's own writes on existing objects, mostly labels
 * of Operators, grant no rights.
 */
function changedAt({ metadata }: KubernetesObject): number {
  const managers = ManagedFields.safeParse(metadata['managedFields']);
  const others = managers.success ? managers.data.filter(({ manager }) => manager !== APPLIER) : [];
  const times = others.map(({ time }) => time);
  const all = [metadata.creationTimestamp, ...times].map((time) => Date.parse(time ?? '')).filter(Number.isFinite);
  return Math.max(0, ...all);
}

/**
 * Roles, RoleBindings and ServiceAccounts that OLM would hear of: those that carry `olm.managed`
 * (csv-lifecycle.md §2.0).
 */
export const managedRights = (objects: readonly KubernetesObject[]): readonly KubernetesObject[] =>
  objects.filter(({ metadata }) => metadata.labels?.['olm.managed'] === 'true');

/**
 * True if one of the objects was created or changed after `since` (a Kubernetes time; absent: no). OLM learns
 * this from events; after a missed event, work that waits for rights would wait forever.
 */
export function changedAfter(since: string | null | undefined, objects: readonly KubernetesObject[]): boolean {
  const start = Date.parse(since ?? '');
  return !Number.isNaN(start) && objects.some((object) => changedAt(object) > start);
}
