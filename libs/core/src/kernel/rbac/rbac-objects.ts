import { z } from 'zod';
import { PolicyRule } from '../api/cluster-service-version.js';
import type { KubernetesObject } from '../api/kubernetes-object.js';

/** A subject to which a binding grants rights. */
export const RbacSubject = z.looseObject({
  kind: z.string(),
  name: z.string(),
  namespace: z.string().optional(),
  apiGroup: z.string().optional(),
});
export type RbacSubject = z.infer<typeof RbacSubject>;

const RbacRoleRef = z.looseObject({ apiGroup: z.string(), kind: z.string(), name: z.string() });
type RbacRoleRef = z.infer<typeof RbacRoleRef>;

const WithRules = z.looseObject({ rules: z.array(PolicyRule).nullish() });
const Binding = z.looseObject({ roleRef: RbacRoleRef, subjects: z.array(RbacSubject).nullish() });

/** Rules of a Role or ClusterRole; none when the object is not shaped like one. */
export function rulesOf(role: KubernetesObject): readonly PolicyRule[] {
  const parsed = WithRules.safeParse(role);
  return parsed.success ? (parsed.data.rules ?? []) : [];
}

/**
 * Returns the content of a RoleBinding or ClusterRoleBinding. Returns undefined when the object is not shaped
 * like one.
 */
export function bindingOf(
  binding: KubernetesObject,
): Readonly<{ roleRef: RbacRoleRef; subjects: readonly RbacSubject[] }> | undefined {
  const parsed = Binding.safeParse(binding);
  if (!parsed.success) return undefined;
  return { roleRef: parsed.data.roleRef, subjects: parsed.data.subjects ?? [] };
}
