import type { Action } from '../../../kernel/actions/action.js';
import { type ClusterServiceVersion, CSV_API } from '../../../kernel/api/cluster-service-version.js';
import { csvName, csvNamespace, isCopied, isUncopiable } from '../../../kernel/api/csv-facts.js';
import type { KubernetesObject } from '../../../kernel/api/kubernetes-object.js';
import type { OperatorGroup } from '../../../kernel/api/operator-group.js';
import { canonicalJson } from '../../../kernel/canonical/canonical-json.js';
import { isGlobal, TARGET_NAMESPACES_ANNOTATION, targetsOf } from '../../operator-group/group-facts.js';
import { copiedRbac } from './copy-rbac.js';

export const COPIED_FROM_LABEL = 'olm.copiedFrom';
const LAST_APPLIED_ANNOTATION = 'kubectl.kubernetes.io/last-applied-configuration';
const COMPONENT_LABEL_PREFIX = 'operators.coreos.com/';

/** What the step for copies reads. */
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
 * Brings the copies of a CSV in step with it: in every namespace its group selects, and nowhere else (spec:
 * csv-lifecycle.md §6 and §10). A copy's status, and RBAC it owns, follow in the pass after its creation.
 */
export function stepCopies(csv: ClusterServiceVersion, world: CopyWorld): readonly Action[] {
  if (isCopied(csv)) return [];
  const copies = world.namesakes.filter((one) => one.metadata.labels?.[COPIED_FROM_LABEL] === csvNamespace(csv));
  const targets = csv.metadata.deletionTimestamp === undefined ? targetNamespaces(csv, world) : [];
  const gone = copies.filter((copy) => !targets.includes(csvNamespace(copy))).map(deletion);
  if (isUncopiable(csv)) return csv.status?.reason === 'InterOperatorGroupOwnerConflict' ? copies.map(deletion) : gone;
  const taken = new Set(world.namesakes.filter((one) => !copies.includes(one)).map(csvNamespace));
  const kept = targets
    .filter((namespace) => !taken.has(namespace))
    .flatMap((namespace) => {
      const copy = copies.find((one) => csvNamespace(one) === namespace);
      return [...copyInStep(csv, namespace, copy), ...(copy === undefined ? [] : rbacFor(csv, copy, world))];
    });
  return [...gone, ...kept];
}

/** Deletes copies whose original is gone; `originals` are all CSVs of the cluster that are no copies. */
export function orphanedCopies(
  copies: readonly ClusterServiceVersion[],
  originals: readonly ClusterServiceVersion[],
): readonly Action[] {
  const live = new Set(originals.map((one) => `${csvNamespace(one)}/${csvName(one)}`));
  return copies
    .filter((copy) => !live.has(`${copy.metadata.labels?.[COPIED_FROM_LABEL]}/${csvName(copy)}`))
    .filter((copy) => copy.metadata.labels?.[COPIED_FROM_LABEL] !== undefined)
    .map(deletion);
}

function targetNamespaces(
  csv: ClusterServiceVersion,
  { group, namespaces, copiesOnlyIn }: CopyWorld,
): readonly string[] {
  const targets = targetsOf(group) ?? [];
  const existing = namespaces.filter((name) => name !== csvNamespace(csv));
  if (!isGlobal(targets)) return existing.filter((name) => targets.includes(name));
  return copiesOnlyIn === undefined ? existing : existing.filter((name) => copiesOnlyIn.has(name));
}

const deletion = (copy: ClusterServiceVersion): Action => ({
  do: 'delete',
  ref: { ...CSV_API, name: csvName(copy), namespace: csvNamespace(copy) },
  propagation: 'Background',
  uid: copy.metadata.uid,
});

const without = (map: Readonly<Record<string, string>> | undefined, drop: (key: string) => boolean) =>
  Object.fromEntries(Object.entries(map ?? {}).filter(([key]) => !drop(key)));

function copyInStep(
  csv: ClusterServiceVersion,
  namespace: string,
  live: ClusterServiceVersion | undefined,
): readonly Action[] {
  const annotations = without(csv.metadata.annotations, (key) =>
    [TARGET_NAMESPACES_ANNOTATION, LAST_APPLIED_ANNOTATION].includes(key),
  );
  const labels = {
    ...without(csv.metadata.labels, (key) => key.startsWith(COMPONENT_LABEL_PREFIX)),
    [COPIED_FROM_LABEL]: csvNamespace(csv),
  };
  const { spec } = csv;
  if (live === undefined) {
    return [
      { do: 'create', object: { ...CSV_API, metadata: { name: csvName(csv), namespace, annotations, labels }, spec } },
    ];
  }
  const { spec: liveSpec, metadata } = live;
  const current = { spec: liveSpec, annotations: metadata.annotations ?? {}, labels: metadata.labels ?? {} };
  if (canonicalJson({ spec, annotations, labels }) !== canonicalJson(current)) {
    return [{ do: 'update', object: { ...live, spec, metadata: { ...metadata, annotations, labels } } }];
  }
  const message = `The operator is running in ${csvNamespace(csv)} but is managing this namespace`;
  const status = { ...csv.status, reason: 'Copied', message };
  return canonicalJson(status) === canonicalJson(live.status)
    ? []
    : [{ do: 'updateStatus', object: { ...live, status } }];
}

/** Global operators hold their rights cluster-wide: only other targets get the Roles themselves. */
const rbacFor = (csv: ClusterServiceVersion, copy: ClusterServiceVersion, world: CopyWorld): readonly Action[] =>
  isGlobal(targetsOf(world.group)) ? [] : copiedRbac(csv, copy, world);
