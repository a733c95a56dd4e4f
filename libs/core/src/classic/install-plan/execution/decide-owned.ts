import type { InstallPlanStep } from '../../../kernel/api/install-plan.js';
import type { KubernetesObject, ObjectMeta } from '../../../kernel/api/kubernetes-object.js';
import { nonBlockingOwner, ownerLabels } from '../steps/csv-owner.js';
import { CSV_KIND } from '../steps/install-plan-step.js';
import { isClusterScoped } from '../steps/step-manifest.js';
import { objectIn, type StepContext, type StepDecision, type StepWorld } from '../steps/step-world.js';
import { csvOwnersOf, csvRefOf } from './reads-for-step.js';
import { ownerMissing } from './step-words.js';

/**
 * Returns the object with its CSV as owner: a reference in the namespace, labels at cluster scope. Every
 * reference to a CSV has the live uid; fails if one of the CSVs is missing. Spec: install-plans.md §5, column
 * "Owner"; for OWNED_BY_MANIFEST_ONLY as observed in OLM.
 */
export function ownedByCsv(
  step: InstallPlanStep,
  object: KubernetesObject,
  context: StepContext,
  world: StepWorld,
): Readonly<{ object: KubernetesObject }> | Readonly<{ fail: string }> {
  const { resolving } = step;
  const { metadata, kind } = object;
  if (isClusterScoped(kind)) {
    if (resolving === '') return { object };
    const labels = { ...metadata.labels, ...ownerLabels(resolving, context.plan.namespace) };
    return { object: { ...object, metadata: { ...metadata, labels } } };
  }
  const owners = metadata.ownerReferences ?? [];
  const wanted = csvOwnersOf(step, owners);
  const uids = new Map(wanted.map((csv) => [csv, objectIn(world, csvRefOf(csv, context))?.metadata.uid]));
  const missing = wanted.find((csv) => uids.get(csv) === undefined);
  if (missing !== undefined) return { fail: ownerMissing(step, metadata.name ?? '', missing) };
  const others = owners
    .filter((owner) => owner.kind !== CSV_KIND || owner.name !== resolving)
    .map((owner) => (owner.kind === CSV_KIND ? { ...owner, uid: uids.get(owner.name) ?? '' } : owner));
  const own = wanted.includes(resolving) ? [nonBlockingOwner(resolving, uids.get(resolving))] : [];
  if (owners.length + own.length === 0) return { object };
  return { object: { ...object, metadata: { ...metadata, ownerReferences: [...others, ...own] } } };
}

const ADOPTION_PREFIX = 'operators.coreos.com/';

/** Returns the labels of the Operator aggregation. Another loop adds them, and would only restore them. */
const adoptionLabels = (metadata: ObjectMeta): Record<string, string> =>
  Object.fromEntries(Object.entries(metadata.labels ?? {}).filter(([key]) => key.startsWith(ADOPTION_PREFIX)));

/**
 * Creates the object, or replaces the existing one (optimistic lock). The object then has the content of the
 * manifest.
 */
export function overwrite(wanted: KubernetesObject, live: KubernetesObject | undefined): StepDecision {
  if (live === undefined) return { actions: [{ do: 'create', object: wanted }], status: 'Created' };
  const { resourceVersion } = live.metadata;
  const labels = { ...adoptionLabels(live.metadata), ...wanted.metadata.labels };
  const metadata = { ...wanted.metadata, labels, ...(resourceVersion === undefined ? {} : { resourceVersion }) };
  return { actions: [{ do: 'update', object: { ...withClusterIp(wanted, live), metadata } }], status: 'Present' };
}

/** A Service's address is given by the cluster and may not be taken away again. */
function withClusterIp(wanted: KubernetesObject, live: KubernetesObject): KubernetesObject {
  if (wanted.kind !== 'Service' || wanted.apiVersion !== 'v1') return wanted;
  const [spec, given] = [record(wanted['spec']), record(live['spec'])];
  if (spec['clusterIP'] !== undefined || given['clusterIP'] === undefined || spec['type'] === 'ExternalName')
    return wanted;
  const addresses = Object.fromEntries(
    ['clusterIP', 'clusterIPs'].filter((key) => key in given).map((key) => [key, given[key]]),
  );
  return { ...wanted, spec: { ...spec, ...addresses } };
}

const record = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? { ...value } : {};
