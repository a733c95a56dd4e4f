import type { KubernetesObject } from '../../kernel/api/kubernetes-object.js';
import { byCodeUnit } from '../../kernel/canonical/canonical-json.js';
import { isDnsLabel } from '../../kernel/labels/label-syntax.js';
import { type ClusterNamespaces, gathering, type NamespaceRule } from './namespace-rules.js';
import { WATCHED_KINDS } from './watched-kinds.js';

const RULES: ReadonlyMap<string, NamespaceRule> = new Map(
  WATCHED_KINDS.flatMap(({ concerns }) => Object.entries(concerns)),
);

/**
 * Returns the namespaces that need a pass after this object appeared, changed or disappeared: sorted, each
 * once.
 */
export function affectedNamespaces(object: KubernetesObject, view: ClusterNamespaces): string[] {
  const rule = RULES.get(object.kind);
  if (rule === undefined) return [];
  const found = new Set([...rule(object, view), ...gathering(object, view)]);
  // Users write labels, too: a label may contain an invalid name of a namespace.
  return [...found].filter(isDnsLabel).toSorted(byCodeUnit);
}
