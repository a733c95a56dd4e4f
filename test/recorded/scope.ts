import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import type { Dump, Recording } from './recording.js';

/** Objects of a scenario that may share its cluster with others. */
export type Scope = Readonly<{
  scenario: string;
  namespaces: ReadonlySet<string>;
  /** `Kind name` of the cluster-scoped objects that the recording knows. */
  recorded: ReadonlySet<string>;
}>;

export function scopeOf({ name, namespaces, checkpoints, final }: Recording): Scope {
  const dumps: readonly Dump[] = [...Object.values(checkpoints), final];
  const recorded = dumps.flatMap((dump) =>
    Object.entries(dump).flatMap(([kind, objects]) => Object.keys(objects).map((key) => `${kind} ${key}`)),
  );
  return { scenario: name, namespaces, recorded: new Set(recorded.filter((key) => !key.includes('/'))) };
}

/** Made by Kubernetes itself in every namespace. */
const NOT_OURS = new Set(['ServiceAccount default', 'ConfigMap kube-root-ca.crt']);

/** The rules of the recordings' README: the scenario's namespaces, and its objects in the cluster. */
export function inScope(object: KubernetesObject, { scenario, namespaces, recorded }: Scope): boolean {
  const { kind, metadata } = object;
  const { name = '', namespace, labels = {} } = metadata;
  if (NOT_OURS.has(`${kind} ${name}`)) return false;
  if (kind === 'Namespace') return namespaces.has(name);
  if (namespace !== undefined) return namespaces.has(namespace) && !isForeignCopy(object, namespaces);
  if (recorded.has(`${kind} ${name}`) || namespaces.has(labels['olm.owner.namespace'] ?? '')) return true;
  return isNamedAfter(name, scenario) || [...namespaces].some((one) => name.endsWith(`.${one}`));
}

/** The APIs of the recordings' bundles carry the scenario in their group. */
const isNamedAfter = (name: string, scenario: string): boolean => name.includes(`.${scenario}.example.com`);

function isForeignCopy({ kind, metadata }: KubernetesObject, namespaces: ReadonlySet<string>): boolean {
  const from = kind === 'ClusterServiceVersion' ? metadata.labels?.['olm.copiedFrom'] : undefined;
  return from !== undefined && !namespaces.has(from);
}
