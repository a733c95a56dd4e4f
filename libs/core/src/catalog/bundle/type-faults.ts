import type { KubernetesObject } from '../../kernel/api/kubernetes-object.js';
import { problemText } from '../../kernel/go-types/decoded.js';
import { isDecodable } from '../../kernel/go-types/is-decodable.js';
import { structShape } from '../../kernel/go-types/type-shape.js';
import { writtenTyped } from '../../kernel/go-types/write-typed.js';

/** Kinds that OLM reads into a Go type by their name alone (spec: install-plans.md §5). */
const BY_KIND: ReadonlyMap<string, string> = new Map([
  ...['ConfigMap', 'Secret', 'Service', 'ServiceAccount'].map((kind) => [kind, `core.${kind}`] as const),
  ...['Role', 'RoleBinding', 'ClusterRole', 'ClusterRoleBinding'].map((kind) => [kind, `rbac.${kind}`] as const),
]);

/** Kinds that the API server reads into a Go type. */
const BY_API: ReadonlyMap<string, string> = new Map([
  ['apiextensions.k8s.io/v1 CustomResourceDefinition', 'apiextensions.CustomResourceDefinition'],
  ['networking.k8s.io/v1 NetworkPolicy', 'networking.NetworkPolicy'],
  ['policy/v1 PodDisruptionBudget', 'policy.PodDisruptionBudget'],
  ['scheduling.k8s.io/v1 PriorityClass', 'scheduling.PriorityClass'],
]);

/**
 * Returns the fields of an object that have another type than its kind gives them. Neither OLM nor an API
 * server reads such an object. Metadata is left out: it has the same types for all kinds.
 */
export function typeFaults(object: KubernetesObject): string[] {
  const type = BY_KIND.get(object.kind) ?? BY_API.get(`${object.apiVersion} ${object.kind}`);
  if (type === undefined || isDecodable(structShape(type), object)) return [];
  const written = writtenTyped(type, object);
  const problems = written.ok ? [] : written.problems.filter(({ field }) => !field.startsWith('metadata.'));
  return problems.length === 0 ? [] : [problemText(problems)];
}
