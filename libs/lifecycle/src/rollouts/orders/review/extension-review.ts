import { imageRegistry } from '#core/catalog/validate/image-reference';
import type { PolicyRule } from '#core/kernel/api/cluster-service-version';
import type { FleetOperator } from '#core/kernel/api/fleet/fleet-operator';
import type { FleetPlan } from '#core/kernel/api/fleet/fleet-plan';
import { INSTALL_PLAN_API, type InstallPlan, type InstallPlanStep } from '#core/kernel/api/install-plan';
import { type KubernetesObject, refOf, splitApiVersion } from '#core/kernel/api/kubernetes-object';
import type { ReviewedStep } from '#core/rollout/review/review-plan';
import { inParallel } from '#platform/fairness/in-parallel';
import { KubeApiError, type KubeClient } from '#platform/kube/client/kube-client.port';
import type { RenderedBundle } from '../../previews/extension-plans.js';
import type { PlannedHop, PlannedThere } from '../../previews/planned-there.js';

const READS_AT_ONCE = 8;
/** Lines that a FleetPlan has room for. */
const MOST_LINES = 200;
const RBAC_KINDS: ReadonlySet<string> = new Set(['Role', 'ClusterRole']);

const allOf = ({ phases }: Pick<RenderedBundle, 'phases'>): readonly KubernetesObject[] =>
  phases.flatMap(({ objects }) => objects);

/**
 * Returns the next revision of a cluster as a plan of steps, each of them one rendered object, for reviewers.
 */
export function plannedExtension(
  name: string,
  { spec }: FleetOperator,
  next: RenderedBundle,
  {
    running,
    moves,
    from,
    to,
    ...planned
  }: Omit<PlannedHop, 'plan'> &
    Pick<PlannedThere, 'specHash' | 'lines' | 'deprecations'> &
    Readonly<{ running: RenderedBundle | undefined }>,
): PlannedThere {
  const steps = allOf(next).map((object) => stepOf(object, next.bundle.name));
  const plan: InstallPlan = {
    ...INSTALL_PLAN_API,
    metadata: { name: '', namespace: spec.namespace },
    spec: { approval: 'Manual', approved: false, clusterServiceVersionNames: [next.bundle.name] },
    status: { phase: 'RequiresApproval', catalogSources: [], plan: steps },
  };
  const earlier = running === undefined ? [] : allOf(running);
  return { ...planned, hops: [{ plan, moves, from, to }], subscription: name, earlier };
}

function stepOf(object: KubernetesObject, resolving: string): InstallPlanStep {
  const { group, version } = splitApiVersion(object.apiVersion);
  const { kind, metadata } = object;
  const resource = { group, version, kind, name: metadata.name ?? '', manifest: JSON.stringify(object) };
  return { resolving, status: 'Unknown', resource: { ...resource, sourceName: '', sourceNamespace: '' } };
}

/**
 * Pairs each step with the object that it writes, as it is in the cluster. Roles have names of their version:
 * they are compared with all rules of the running revision of their kind.
 */
export const stepsBesideRevision = (
  client: KubeClient,
  steps: readonly InstallPlanStep[],
  earlier: readonly KubernetesObject[],
): Promise<ReviewedStep[]> =>
  inParallel([...steps], READS_AT_ONCE, async (step) => {
    const [object] = objectsOf([step]);
    if (object === undefined) return { step, live: undefined };
    const live = (await liveOf(client, object)) ?? rulesBefore(object, earlier);
    return { step, live };
  });

/** Returns the live object. Also undefined if its kind or its namespace is not there yet. */
async function liveOf(client: KubeClient, object: KubernetesObject): Promise<KubernetesObject | undefined> {
  return client.get(refOf(object)).catch((error: unknown) => {
    if (KubeApiError.is(error, 'NotFound')) return undefined;
    throw error;
  });
}

function rulesBefore({ kind }: KubernetesObject, earlier: readonly KubernetesObject[]): unknown {
  const before = earlier.filter((one) => one.kind === kind);
  if (!RBAC_KINDS.has(kind) || before.length === 0) return undefined;
  return { kind, rules: before.flatMap((one) => (one['rules'] as readonly PolicyRule[] | null) ?? []) };
}

type Containers = readonly Readonly<{ image?: string }>[];
type Workload = Readonly<{
  spec?: { template?: { spec?: { containers?: Containers; initContainers?: Containers } } };
}>;

/** The images of all workloads among these objects. */
function imagesOf(objects: readonly KubernetesObject[]): ReadonlySet<string> {
  const pods = objects.map((object) => (object as Workload).spec?.template?.spec);
  const containers = pods.flatMap((pod) => [...(pod?.initContainers ?? []), ...(pod?.containers ?? [])]);
  return new Set(containers.flatMap(({ image }) => image ?? []));
}

/** The objects that steps write. */
export const objectsOf = (steps: readonly InstallPlanStep[]): readonly KubernetesObject[] =>
  steps.map(({ resource }) => JSON.parse(resource.manifest ?? '{}') as KubernetesObject);

/** The plan of a revision with the images of its workloads, and with the objects that go. */
export function withImages(
  spec: FleetPlan['spec'],
  steps: readonly InstallPlanStep[],
  earlier: readonly KubernetesObject[] | undefined,
): FleetPlan['spec'] {
  if (earlier === undefined) return spec;
  const next = objectsOf(steps);
  const [before, after] = [imagesOf(earlier), imagesOf(next)];
  const named = ({ kind, metadata }: KubernetesObject) => `${kind} ${metadata.name ?? ''}`;
  const stays = new Set(next.map(named));
  const gone = earlier.map(named).filter((one) => !stays.has(one));
  const objects = spec.objects ?? { created: [], changed: [], deleted: [] };
  return {
    ...spec,
    images: {
      added: [...after].filter((image) => !before.has(image)),
      removed: [...before].filter((image) => !after.has(image)),
    },
    objects: { ...objects, deleted: [...objects.deleted, ...gone].slice(0, MOST_LINES) },
  };
}

/** True if an image comes from a registry that no earlier image comes from. */
export function bringsRegistry(next: readonly KubernetesObject[], earlier: readonly KubernetesObject[]): boolean {
  const registries = (objects: readonly KubernetesObject[]) => new Set([...imagesOf(objects)].map(imageRegistry));
  const known = registries(earlier);
  return [...registries(next)].some((registry) => !known.has(registry));
}
