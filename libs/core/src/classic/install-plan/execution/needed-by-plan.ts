import type { InstallPlan, InstallPlanStep } from '../../../kernel/api/install-plan.js';
import { CRD_GROUP, KIND } from '../../../kernel/api/kinds.js';
import { joinApiVersion, type KubernetesObject } from '../../../kernel/api/kubernetes-object.js';
import { crdGroup } from '../../../kernel/crd/crd-versions.js';
import { asList, asRecord, asText } from '../../../kernel/crd/loose-value.js';
import { distinctKinds, type NeededKind, neededToWrite, refusedKindsText } from '../../../kernel/rbac/needed-kinds.js';
import { CRD_KIND, CSV_KIND, isDone, kindOfStep } from '../steps/install-plan-step.js';
import { isClusterScoped, manifestOf } from '../steps/step-manifest.js';
import type { StepOutcome } from '../steps/step-world.js';

/** Returns the steps of a plan that are not finished. */
export const openSteps = ({ status }: InstallPlan): readonly InstallPlanStep[] =>
  (status?.plan ?? []).filter((step): step is InstallPlanStep => step !== null && !isDone(step));

/**
 * Returns the kinds that steps of a plan write, and those that their ClusterServiceVersions then need.
 * `hasCrd`: true for a CRD that the cluster has. The objects of such a CRD are read before it is replaced.
 */
export const neededByPlan = (
  steps: readonly InstallPlanStep[],
  namespace: string,
  hasCrd: (name: string) => boolean,
): readonly NeededKind[] => distinctKinds(steps.flatMap((step) => neededByStep(step, namespace, hasCrd)));

/** Returns the names of the CRDs of steps. */
export const crdsOf = (steps: readonly InstallPlanStep[]): readonly string[] =>
  steps.flatMap(({ resource }) => (resource.kind === CRD_KIND ? [resource.name] : []));

function neededByStep(
  step: InstallPlanStep,
  namespace: string,
  hasCrd: (name: string) => boolean,
): readonly NeededKind[] {
  const { group, version, kind } = kindOfStep(step);
  const { name } = step.resource;
  const where = isClusterScoped(kind) ? {} : { namespace };
  const own = neededToWrite({ apiVersion: joinApiVersion(group, version), kind, metadata: { name, ...where } });
  const manifest = manifestOf(step);
  if ('fail' in manifest) return [own];
  if (kind === CSV_KIND) return [own, ...neededByCsv(manifest.object, namespace)];
  if (kind !== CRD_KIND || !hasCrd(name)) return [own];
  const resource = asText(asRecord(asRecord(manifest.object['spec'])['names'])['plural']);
  return [own, { group: crdGroup(manifest.object), resource, name, verbs: ['list'] }];
}

const WEBHOOKS: Readonly<Record<string, Readonly<{ apiVersion: string; kind: string }>>> = {
  ValidatingAdmissionWebhook: KIND.ValidatingWebhookConfiguration,
  MutatingAdmissionWebhook: KIND.MutatingWebhookConfiguration,
  ConversionWebhook: { apiVersion: `${CRD_GROUP}/v1`, kind: CRD_KIND },
};

/** Returns the kinds that the install of a ClusterServiceVersion writes (spec: csv-lifecycle.md §5). */
function neededByCsv({ metadata: { name = '' }, spec }: KubernetesObject, namespace: string): readonly NeededKind[] {
  const { install, webhookdefinitions, apiservicedefinitions } = asRecord(spec);
  const deployments = asList(asRecord(asRecord(install)['spec'])['deployments']);
  const webhooks = asList(webhookdefinitions).flatMap((one) => WEBHOOKS[asText(asRecord(one)['type'])] ?? []);
  const services = asList(asRecord(apiservicedefinitions)['owned']);
  const isServed = webhooks.length + services.length > 0;
  const inNamespace = [
    ...(deployments.length > 0 ? [KIND.Deployment] : []),
    ...(isServed ? [KIND.Service, KIND.Secret] : []),
  ];
  const inCluster = [...webhooks, ...(services.length > 0 ? [KIND.APIService] : [])];
  return [
    ...inNamespace.map((kind) => neededToWrite({ ...kind, metadata: { name, namespace } })),
    ...inCluster.map((kind) => neededToWrite({ ...kind, metadata: { name } })),
  ];
}

/** Returns the outcome of a plan with kinds that the hub may not write. Nothing more of it is applied. */
export function refuseUncovered(
  { status }: InstallPlan,
  user: string,
  refused: readonly NeededKind[],
): ReadonlyMap<number, StepOutcome> {
  const plan = status?.plan ?? [];
  const index = plan.findIndex((step) => step !== null && !isDone(step));
  const step = plan[index];
  if (refused.length === 0 || step === null || step === undefined) return new Map();
  const isBegun = plan.some((one) => one !== null && isDone(one));
  const applied = isBegun ? '' : '. Nothing was applied';
  const error = `the login of the hub lacks rights that the plan needs: ${refusedKindsText(user, refused)}${applied}`;
  return new Map([[index, { status: step.status as StepOutcome['status'], error, forbidden: true }]]);
}
