import type { Action } from '../../kernel/actions/action.js';
import {
  CLUSTER_OBJECT_SET_API,
  type ClusterObjectSet,
  type CollisionProtection,
} from '../../kernel/api/cluster-object-set.js';
import { type KubernetesObject, type OwnerReference, refOf } from '../../kernel/api/kubernetes-object.js';
import { goQuote } from '../../kernel/versions/go-quote.js';
import { MANAGED_BY, OWNER_NAME_LABEL, REVISION_KEY } from './revision-keys.js';
import { isArchived } from './revision-states.js';

export type ObjectStep =
  | Readonly<{ step: 'apply'; actions: readonly Action[] }>
  /** A newer revision has it: nothing is left to do here. */
  | Readonly<{ step: 'progressed' }>
  | Readonly<{ step: 'collision'; report: string }>;

type StepObjectInput = Readonly<{
  wanted: KubernetesObject;
  live: KubernetesObject | undefined;
  revision: ClusterObjectSet;
  /** All revisions of the same extension. */
  siblings: readonly ClusterObjectSet[];
  protection: CollisionProtection;
}>;

/**
 * Decides on one object of a revision: apply it, leave it, or stop at an object of another owner (spec:
 * v1-apply.md §7.5).
 */
export function stepObject({ wanted, live, revision, siblings, protection }: StepObjectInput): ObjectStep {
  const apply: Action = { do: 'apply', object: asAppliedBy(revision, wanted) };
  const controller = live?.metadata.ownerReferences?.find((owner) => owner.controller === true);
  if (live === undefined || controller?.uid === revision.metadata.uid) return { step: 'apply', actions: [apply] };
  const sibling = siblings.find(({ metadata }) => metadata.uid === controller?.uid);
  if (controller !== undefined && sibling !== undefined) {
    if (sibling.spec.revision > revision.spec.revision && !isArchived(sibling)) return { step: 'progressed' };
    return { step: 'apply', actions: [released(live, controller), apply] };
  }
  if (controller === undefined) {
    // An object of an earlier revision that lost its owner is adopted only if the spec says so.
    const wasManaged = live.metadata.annotations?.[REVISION_KEY] !== undefined && !isOurs(live, revision);
    if (protection !== 'Prevent' && !wasManaged) return { step: 'apply', actions: [apply] };
    return { step: 'collision', report: collisionReport(live, controller) };
  }
  if (protection === 'None') return { step: 'apply', actions: [released(live, controller), apply] };
  return { step: 'collision', report: collisionReport(live, controller) };
}

const isOurs = (live: KubernetesObject, { metadata }: ClusterObjectSet): boolean =>
  live.metadata.labels?.[OWNER_NAME_LABEL] === metadata.labels?.[OWNER_NAME_LABEL];

/** The object as the revision applies it: with its mark, its number and itself as controller. */
function asAppliedBy(revision: ClusterObjectSet, wanted: KubernetesObject): KubernetesObject {
  const { metadata } = wanted;
  return {
    ...wanted,
    metadata: {
      ...metadata,
      labels: { ...metadata.labels, [MANAGED_BY.key]: MANAGED_BY.value },
      annotations: { ...metadata.annotations, [REVISION_KEY]: String(revision.spec.revision) },
      ownerReferences: [ownedBy(revision)],
    },
  };
}

const ownedBy = ({ metadata }: ClusterObjectSet): OwnerReference => ({
  ...CLUSTER_OBJECT_SET_API,
  name: metadata.name ?? '',
  uid: metadata.uid ?? '',
  controller: true,
  blockOwnerDeletion: true,
});

/**
 * Takes the earlier controller away: the API server allows only one. Carries a lock: if another writer
 * changed the owners meanwhile, that write wins.
 */
const released = (live: KubernetesObject, controller: OwnerReference): Action => ({
  do: 'patch',
  ref: refOf(live),
  patch: {
    metadata: {
      resourceVersion: live.metadata.resourceVersion,
      ownerReferences: (live.metadata.ownerReferences ?? []).filter(({ uid }) => uid !== controller.uid),
    },
  },
});

/**
 * `Kind.group/version namespace/name`, as OLM v1 names objects in its messages; without a namespace `/name`.
 */
export const objectTitle = ({ apiVersion, kind, metadata }: KubernetesObject): string =>
  `${kind}.${apiVersion} ${metadata.namespace ?? ''}/${metadata.name}`;

function collisionReport(live: KubernetesObject, controller: OwnerReference | undefined): string {
  const lines = [`Object ${objectTitle(live)}`, 'Action: "Collision"'];
  if (controller === undefined) return [...lines, 'Conflicting Owner: none; it was there before'].join('\n');
  const { kind, apiVersion, name } = controller;
  return [...lines, `Conflicting Owner: ${kind}.${apiVersion} ${goQuote(name)}`].join('\n');
}
