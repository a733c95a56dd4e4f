import type { Action } from '../../../kernel/actions/action.js';
import type { ClusterServiceVersion } from '../../../kernel/api/cluster-service-version.js';
import { csvNamespace, isCopied } from '../../../kernel/api/csv-facts.js';
import { KIND } from '../../../kernel/api/kinds.js';
import { type KubernetesObject, refOf } from '../../../kernel/api/kubernetes-object.js';
import { csvOwnerLabels, hasLabels } from '../../../kernel/api/owner-labels.js';
import { canonicalJson } from '../../../kernel/canonical/canonical-json.js';
import { bindingOf, type RbacSubject } from '../../../kernel/rbac/rbac-objects.js';
import { authDelegatorName, authReaderName } from '../certificates/serving-names.js';
import { servingServices } from '../certificates/serving-service.js';
import type { CsvWorld } from '../world/csv-world.js';

const OWNER_NAMESPACE = 'olm.owner.namespace';

const subjectsOf = (binding: KubernetesObject): readonly RbacSubject[] => bindingOf(binding)?.subjects ?? [];

/**
 * The auth-delegator and auth-reader bindings are named after the Service alone: an operator that is
 * installed in two namespaces has one of each, with a subject per namespace. Gives the actions that add this
 * CSV's subject to the live binding: subjects of other namespaces stay, and so do the labels of an owner in
 * another namespace. OLM overwrites them.
 */
export function keepShared(
  csv: ClusterServiceVersion,
  wanted: KubernetesObject,
  live: KubernetesObject | undefined,
): readonly Action[] {
  if (live === undefined) return [{ do: 'apply', object: wanted }];
  const namespace = csvNamespace(csv);
  const known = subjectsOf(live);
  const subjects = [...known.filter((one) => one.namespace !== namespace), ...subjectsOf(wanted)];
  const owner = live.metadata.labels?.[OWNER_NAMESPACE];
  const labels = wanted.metadata.labels ?? {};
  const relabel = (owner === undefined || owner === namespace) && !hasLabels(live, labels);
  const resubject = asSet(known) !== asSet(subjects);
  if (!relabel && !resubject) return [];
  return [patch(live, { ...(relabel ? { labels } : {}) }, resubject ? { subjects } : {})];
}

const asSet = (subjects: readonly RbacSubject[]): string =>
  canonicalJson(subjects.map(({ kind, name, namespace = '' }) => [kind, name, namespace].join('/')).toSorted());

/**
 * Cleans up the shared bindings of a CSV that is being deleted. Bindings that other namespaces use lose its
 * subject and its owner labels, so that an operator there can take them over; the others are deleted.
 */
export function releaseShared(csv: ClusterServiceVersion, world: CsvWorld): readonly Action[] {
  const namespace = csvNamespace(csv);
  const stillUsed = new Set(world.csvs.filter((one) => isFollower(csv, one)).flatMap(sharedNamesOf));
  const names = new Set(sharedNamesOf(csv)).difference(stillUsed);
  return bindingsOf(world).flatMap((live): readonly Action[] => {
    if (!names.has(live.metadata.name ?? '')) return [];
    const owned = hasLabels(live, csvOwnerLabels(csv));
    const subjects = subjectsOf(live);
    const others = subjects.filter((one) => one.namespace !== namespace);
    if (others.length === 0) return [deletion(live)];
    if (!owned && others.length === subjects.length) return [];
    const labels = Object.fromEntries(Object.keys(csvOwnerLabels(csv)).map((key) => [key, null]));
    return [patch(live, owned ? { labels } : {}, others.length < subjects.length ? { subjects: others } : {})];
  });
}

/** True if another CSV of the namespace continues to use the bindings, so that the subject stays. */
const isFollower = (csv: ClusterServiceVersion, other: ClusterServiceVersion): boolean =>
  !isCopied(other) && other.metadata.uid !== csv.metadata.uid && other.metadata.deletionTimestamp === undefined;

export const sharedNamesOf = (csv: ClusterServiceVersion): readonly string[] =>
  servingServices(csv).flatMap((service) => [authDelegatorName(service), authReaderName(service)]);

const bindingsOf = ({ clusterRoleBindings, authReaders }: CsvWorld): readonly KubernetesObject[] => [
  ...authReaders.map((one) => ({ ...one, ...KIND.RoleBinding })),
  ...clusterRoleBindings.map((one) => ({ ...one, ...KIND.ClusterRoleBinding })),
];

const patch = (live: KubernetesObject, metadata: Record<string, unknown>, content: Record<string, unknown>): Action => {
  const { resourceVersion } = live.metadata;
  const lock = resourceVersion === undefined ? {} : { resourceVersion };
  return { do: 'patch', ref: refOf(live), patch: { metadata: { ...lock, ...metadata }, ...content } };
};

const deletion = (live: KubernetesObject): Action => ({
  do: 'delete',
  ref: refOf(live),
  propagation: 'Background',
  uid: live.metadata.uid,
});
