import type { KubernetesObject } from '../../kernel/api/kubernetes-object.js';
import { byCodeUnit } from '../../kernel/canonical/canonical-json.js';
import { isDnsLabel } from '../../kernel/labels/label-syntax.js';
import { type ClusterNamespaces, gathering, type NamespaceRule } from './namespace-rules.js';
import { WATCHED_KINDS } from './watched-kinds.js';

const RULES: ReadonlyMap<string, NamespaceRule> = new Map(
  WATCHED_KINDS.flatMap(({ concerns }) => Object.entries(concerns)),
);

/** The namespaces for which a pass is due after this object appeared, changed or went; sorted, each once. */
export function affectedNamespaces(object: KubernetesObject, view: ClusterNamespaces): string[] {
  const rule = RULES.get(object.kind);
  if (rule === undefined) return [];
  const found = new Set([...rule(object, view), ...gathering(object, view)]);
  // Users write labels, too: one may name what no namespace can be named.
  return [...found].filter(isDnsLabel).toSorted(byCodeUnit);
}
