import type { KubernetesObject, OwnerReference } from '../../../kernel/api/kubernetes-object.js';
import { sameJson } from '../../../kernel/canonical/same-json.js';
import type { StepDecision } from '../steps/step-world.js';

/** One reference per owner; the wanted one wins over a live one of the same object. */
function union(wanted: readonly OwnerReference[], live: readonly OwnerReference[]): OwnerReference[] {
  const identity = ({ apiVersion, kind, name, uid }: OwnerReference) => `${apiVersion} ${kind} ${name} ${uid}`;
  const mine = new Set(wanted.map(identity));
  return [...live.filter((owner) => !mine.has(identity(owner))), ...wanted];
}

/**
 * A ServiceAccount is shared by the versions of an operator, so it is merged: its secrets stay, owners
 * add up, old annotations and labels stay unless redefined, and nothing is written when nothing is new.
 * Spec: install-plans.md §5.
 */
export function decideServiceAccount(wanted: KubernetesObject, live: KubernetesObject | undefined): StepDecision {
  if (live === undefined) return { actions: [{ do: 'create', object: wanted }], status: 'Created' };
  const ownerReferences = union(wanted.metadata.ownerReferences ?? [], live.metadata.ownerReferences ?? []);
  const annotations = { ...live.metadata.annotations, ...wanted.metadata.annotations };
  const merged: KubernetesObject = {
    ...live,
    ...wanted,
    ...(live['secrets'] === undefined ? {} : { secrets: live['secrets'] }),
    metadata: {
      ...live.metadata,
      ...wanted.metadata,
      labels: { ...live.metadata.labels, ...wanted.metadata.labels },
      ...(ownerReferences.length > 0 ? { ownerReferences } : {}),
      ...(Object.keys(annotations).length > 0 ? { annotations } : {}),
    },
  };
  return { actions: sameJson(merged, live) ? [] : [{ do: 'update', object: merged }], status: 'Present' };
}
