import { KubernetesObject } from '../../kernel/api/kubernetes-object.js';
import { isRecord, textAt } from '../../kernel/json/json-access.js';
import { readForeign } from '../../kernel/verdict/read-foreign.js';

/**
 * The manifests of a bundle that a catalog carries itself, or the problem of the first that is no manifest.
 */
export type InlineManifests = Readonly<{ objects: readonly KubernetesObject[] }> | Readonly<{ problem: string }>;

/** Reads the objects of `olm.bundle.object` properties, each as Kubernetes' decoder reads it. */
export function readInlineManifests(values: unknown): InlineManifests {
  if (!Array.isArray(values)) return { problem: 'its manifests are not a list of objects' };
  const objects: KubernetesObject[] = [];
  for (const [index, value] of values.entries()) {
    const read = readForeign(KubernetesObject, completedManifest(value));
    if ('problem' in read) return { problem: `object ${index + 1}${named(value)}: ${read.problem}` };
    objects.push(read.value);
  }
  return { objects };
}

/** Returns ` (ConfigMap gum)`, as far as the manifest says it. */
function named(value: unknown): string {
  const words = [textAt(value, 'kind'), textAt(value, 'metadata', 'name')].filter((word) => word !== '');
  return words.length === 0 ? '' : ` (${words.join(' ')})`;
}

/**
 * Fills in fields that OLM's reader does not require. A manifest without apiVersion is carried along (with an
 * empty one) and refused by the cluster; `metadata: null` is empty metadata.
 */
function completedManifest(value: unknown): unknown {
  if (!isRecord(value)) return value;
  return { ...value, apiVersion: value['apiVersion'] ?? '', metadata: value['metadata'] ?? {} };
}
