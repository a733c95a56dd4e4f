import { type KubernetesObject, refOf } from '../../kernel/api/kubernetes-object.js';
import { canonicalJson } from '../../kernel/canonical/canonical-json.js';

/** Facts that decide if an object that comes with the CRDs is written. */
type CompanionFacts = Readonly<{
  /** The object of that name in the cluster. */
  live: KubernetesObject | undefined;
  /** The number of OperatorGroups in its namespace. */
  groups: number;
}>;

/**
 * Decides if the hub writes an object that OLM ships next to its CRDs (why: classic.md "Companions of the
 * CRDs"). ClusterRoles are kept as OLM ships them, since users' rights depend on them. Every other object is
 * created if it is missing, and then belongs to its owner. The OLMConfig holds settings, and a second
 * OperatorGroup would stop a namespace.
 */
export function companionInstallation(ours: KubernetesObject, { live, groups }: CompanionFacts): 'write' | 'nothing' {
  if (ours.kind === 'OperatorGroup' && groups > 0) return 'nothing';
  if (live === undefined) return 'write';
  if (ours.kind !== 'ClusterRole' || live.metadata.deletionTimestamp !== undefined) return 'nothing';
  const labels = live.metadata.labels ?? {};
  const labelled = Object.entries(ours.metadata.labels ?? {}).every(([key, value]) => labels[key] === value);
  return labelled && canonicalJson(live['rules'] ?? null) === canonicalJson(ours['rules']) ? 'nothing' : 'write';
}

/** Returns the objects as OLM ships them. On OpenShift, the group and its namespace have another name. */
export function companionsOn(objects: readonly KubernetesObject[], openShift: boolean): readonly KubernetesObject[] {
  return openShift ? objects.map(onOpenShift) : objects;
}

const OPERATORS = 'operators';
const ON_OPENSHIFT = 'openshift-operators';

function onOpenShift(object: KubernetesObject): KubernetesObject {
  const { name, namespace } = refOf(object);
  if (object.kind === 'Namespace' && name === OPERATORS) {
    return { ...object, metadata: { ...object.metadata, name: ON_OPENSHIFT } };
  }
  return namespace === OPERATORS ? { ...object, metadata: { ...object.metadata, namespace: ON_OPENSHIFT } } : object;
}
