import type { InstallPlanStep } from '../../kernel/api/install-plan.js';
import type { KubernetesObject, ObjectMeta } from '../../kernel/api/kubernetes-object.js';
import { nonBlockingOwner, ownerLabels } from './csv-owner.js';
import { CSV_KIND } from './install-plan-step.js';
import { ownerRefOf } from './reads-for-step.js';
import { isClusterScoped } from './step-manifest.js';
import { ownerMissing } from './step-words.js';
import { objectIn, type StepContext, type StepDecision, type StepWorld } from './step-world.js';

/**
 * Objects of these kinds have the owners that their manifests name: one that a bundle ships itself has no
 * owner and outlives the CSV.
 */
const OWNED_BY_MANIFEST_ONLY: ReadonlySet<string> = new Set(['ServiceAccount', 'Role', 'RoleBinding']);

/**
 * The object with its CSV as owner: a reference with the live uid in the namespace, labels at cluster
 * scope. Fails where the CSV is not there. Spec: install-plans.md §5, column "Owner"; of
 * OWNED_BY_MANIFEST_ONLY as OLM was seen to do.
 */
export function ownedByCsv(
  step: InstallPlanStep,
  object: KubernetesObject,
  context: StepContext,
  world: StepWorld,
): Readonly<{ object: KubernetesObject }> | Readonly<{ fail: string }> {
  const { resolving } = step;
  if (resolving === '') return { object };
  const { metadata, kind } = object;
  if (isClusterScoped(kind)) {
    const labels = { ...metadata.labels, ...ownerLabels(resolving, context.plan.namespace) };
    return { object: { ...object, metadata: { ...metadata, labels } } };
  }
  const named = (metadata.ownerReferences ?? []).filter((owner) => owner.kind === CSV_KIND && owner.name === resolving);
  if (named.length === 0 && OWNED_BY_MANIFEST_ONLY.has(kind)) return { object };
  const uid = objectIn(world, ownerRefOf(step, context))?.metadata.uid;
  if (uid === undefined) return { fail: ownerMissing(step, metadata.name ?? '') };
  const strangers = (metadata.ownerReferences ?? []).filter((owner) => !named.includes(owner));
  return {
    object: { ...object, metadata: { ...metadata, ownerReferences: [...strangers, nonBlockingOwner(resolving, uid)] } },
  };
}

const ADOPTION_PREFIX = 'operators.coreos.com/';

/** Labels of the Operator aggregation: put on by another loop, which would only put them back. */
const adoptionLabels = (metadata: ObjectMeta): Record<string, string> =>
  Object.fromEntries(Object.entries(metadata.labels ?? {}).filter(([key]) => key.startsWith(ADOPTION_PREFIX)));

/** Create, or replace what is there (optimistic lock); the object becomes what the manifest says. */
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
