import type { Action } from '../../../kernel/actions/action.js';
import { type ClusterServiceVersion, CSV_API } from '../../../kernel/api/cluster-service-version.js';
import { csvName, csvNamespace, isCopied, isUncopiable } from '../../../kernel/api/csv-facts.js';
import type { KubernetesObject } from '../../../kernel/api/kubernetes-object.js';
import type { OperatorGroup } from '../../../kernel/api/operator-group.js';
import { isGlobal, TARGET_NAMESPACES_ANNOTATION, targetsOf } from '../../operator-group/group-facts.js';
import { HUB_ANNOTATIONS } from '../world/hub-annotations.js';
import { COMPONENT_LABEL_PREFIX, COPIED_FROM_LABEL, contentDigest, copyDigests, statusDigest } from './copy-content.js';
import { copiedRbac } from './copy-rbac.js';

export { COPIED_FROM_LABEL };

const LAST_APPLIED_ANNOTATION = 'kubectl.kubernetes.io/last-applied-configuration';

/** The objects that the step for copies reads. */
export type CopyWorld = Readonly<{
  /** The group of the CSV's namespace. */
  group: OperatorGroup;
  /** Names of all namespaces that are not being deleted. */
  namespaces: readonly string[];
  /** CSVs named like this one in other namespaces, copies of whatever origin and originals. */
  namesakes: readonly ClusterServiceVersion[];
  /** Roles and RoleBindings of the CSV's namespace and of its target namespaces. */
  roles: readonly KubernetesObject[];
  roleBindings: readonly KubernetesObject[];
  /**
   * OLMConfig's disableCopiedCSVs: copies of global operators only in these protected
   * namespaces; undefined: off.
   */
  copiesOnlyIn?: ReadonlySet<string>;
}>;

/**
 * Brings the copies of a CSV in step with it, in exactly the namespaces that its group selects (spec:
 * csv-lifecycle.md §6 and §10). A copy's status, and RBAC it owns, follow in the pass after its creation.
 */
export function stepCopies(csv: ClusterServiceVersion, world: CopyWorld): readonly Action[] {
  if (isCopied(csv)) return [];
  const isCopy = (one: ClusterServiceVersion) => one.metadata.labels?.[COPIED_FROM_LABEL] === csvNamespace(csv);
  const copies = world.namesakes.filter(isCopy);
  if (csv.metadata.deletionTimestamp !== undefined) return copies.map(lockedDeletion);
  const targets = new Set(targetNamespaces(csv, world));
  const gone = copies.filter((copy) => !targets.has(csvNamespace(copy))).map(deletion);
  if (isUncopiable(csv)) return csv.status?.reason === 'InterOperatorGroupOwnerConflict' ? copies.map(deletion) : gone;
  const wanted = contentOfCopies(csv);
  const inNamespace = new Map(copies.map((copy) => [csvNamespace(copy), copy]));
  const taken = new Set(world.namesakes.filter((one) => !isCopy(one)).map(csvNamespace));
  const kept = [...targets]
    .filter((namespace) => !taken.has(namespace))
    .flatMap((namespace) => {
      const copy = inNamespace.get(namespace);
      return [...copyInStep(wanted, namespace, copy), ...(copy === undefined ? [] : rbacFor(csv, copy, world))];
    });
  return [...gone, ...kept];
}

/** Deletes copies if their original is gone. `originals` are all CSVs of the cluster that are not copies. */
export function orphanedCopies(
  copies: readonly ClusterServiceVersion[],
  originals: readonly ClusterServiceVersion[],
): readonly Deletion[] {
  const live = new Set(originals.map((one) => `${csvNamespace(one)}/${csvName(one)}`));
  return copies
    .filter((copy) => !live.has(`${copy.metadata.labels?.[COPIED_FROM_LABEL]}/${csvName(copy)}`))
    .filter((copy) => copy.metadata.labels?.[COPIED_FROM_LABEL] !== undefined)
    .map(lockedDeletion);
}

/** Order in which copies are brought in step. Actions without an entry come together with the contents. */
const ORDER: Partial<Record<Action['do'], number>> = { create: 0, delete: 1, updateStatus: 3 };
const placeOf = (action: Action): number => ORDER[action.do] ?? 2;

/**
 * Sorts the actions for the copies of a namespace: creations, deletions, contents, and statuses last. While
 * an upgrade replaces a copy, the namespace always has one. A status that changes again before its turn is
 * written once.
 */
export const copiesInOrder = (actions: readonly Action[]): readonly Action[] =>
  actions.toSorted((a, b) => placeOf(a) - placeOf(b));

function targetNamespaces(
  csv: ClusterServiceVersion,
  { group, namespaces, copiesOnlyIn }: CopyWorld,
): readonly string[] {
  const targets = targetsOf(group) ?? [];
  const existing = namespaces.filter((name) => name !== csvNamespace(csv));
  if (!isGlobal(targets)) return existing.filter((name) => targets.includes(name));
  return copiesOnlyIn === undefined ? existing : existing.filter((name) => copiesOnlyIn.has(name));
}

type Deletion = Extract<Action, { do: 'delete' }>;

const deletion = (copy: ClusterServiceVersion): Deletion => ({
  do: 'delete',
  ref: { ...CSV_API, name: csvName(copy), namespace: csvNamespace(copy) },
  propagation: 'Background',
  uid: copy.metadata.uid,
});

/** Deletes a copy only if it is unchanged: a changed one may already be an operator of its namespace. */
const lockedDeletion = (copy: ClusterServiceVersion): Deletion => ({
  ...deletion(copy),
  resourceVersion: copy.metadata.resourceVersion,
});

const without = (map: Readonly<Record<string, string>> | undefined, drop: (key: string) => boolean) =>
  Object.fromEntries(Object.entries(map ?? {}).filter(([key]) => !drop(key)));

/** The same in every namespace. */
function contentOfCopies({ spec, status, metadata }: ClusterServiceVersion) {
  const annotations = without(metadata.annotations, (key) =>
    [TARGET_NAMESPACES_ANNOTATION, LAST_APPLIED_ANNOTATION, ...HUB_ANNOTATIONS].includes(key),
  );
  const { name = '', namespace: home = '' } = metadata;
  const labels = {
    ...without(metadata.labels, (key) => key.startsWith(COMPONENT_LABEL_PREFIX)),
    [COPIED_FROM_LABEL]: home,
  };
  const message = `The operator is running in ${home} but is managing this namespace`;
  const copied = { ...status, reason: 'Copied', message };
  const digests = { content: contentDigest({ spec, annotations, labels }), status: statusDigest(copied) };
  return { name, annotations, labels, spec, status: copied, digests };
}

function copyInStep(
  { name, annotations, labels, spec, status, digests }: ReturnType<typeof contentOfCopies>,
  namespace: string,
  live: ClusterServiceVersion | undefined,
): readonly Action[] {
  if (live === undefined) {
    return [{ do: 'create', object: { ...CSV_API, metadata: { name, namespace, annotations, labels }, spec } }];
  }
  const current = copyDigests(live);
  const metadata = { ...live.metadata, annotations, labels };
  if (current.content !== digests.content) return [{ do: 'update', object: { ...CSV_API, metadata, spec } }];
  if (current.status === digests.status) return [];
  return [{ do: 'updateStatus', object: { ...CSV_API, metadata, spec, status } }];
}

/** Global operators hold their rights cluster-wide: only other targets get the Roles themselves. */
const rbacFor = (csv: ClusterServiceVersion, copy: ClusterServiceVersion, world: CopyWorld): readonly Action[] =>
  isGlobal(targetsOf(world.group)) ? [] : copiedRbac(csv, copy, world);
