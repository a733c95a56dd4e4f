import type { InstallPlan, InstallPlanStep } from '../../../kernel/api/install-plan.js';
import { joinApiVersion, type KubernetesObject, splitApiVersion } from '../../../kernel/api/kubernetes-object.js';
import { isDone, kindOfStep } from '../steps/install-plan-step.js';

/** A kind in a version of its API. */
export type ServedKind = Readonly<{ apiVersion: string; kind: string }>;

/** The groups of steps that the API server itself brings: nothing that is installed adds versions to them. */
const BUILT_IN_GROUPS: ReadonlySet<string> = new Set([
  'apiextensions.k8s.io',
  'networking.k8s.io',
  'policy',
  'scheduling.k8s.io',
]);

const isAged = (group: string, version: string): boolean => BUILT_IN_GROUPS.has(group) && version !== 'v1';

/** Versions of built-in kinds that Kubernetes has removed. Others may be of newer clusters. */
const REMOVED: ReadonlySet<string> = new Set([
  'apiextensions.k8s.io/v1beta1 CustomResourceDefinition',
  'networking.k8s.io/v1beta1 Ingress',
  'networking.k8s.io/v1beta1 IngressClass',
  'policy/v1beta1 PodDisruptionBudget',
  'policy/v1beta1 PodSecurityPolicy',
  'scheduling.k8s.io/v1alpha1 PriorityClass',
  'scheduling.k8s.io/v1beta1 PriorityClass',
]);

/** True if a bundle brings a version of a built-in API that some clusters do not serve. */
export const bringsAgedApi = (objects: readonly KubernetesObject[]): boolean =>
  objects.some(({ apiVersion }) => {
    const { group, version } = splitApiVersion(apiVersion);
    return isAged(group, version);
  });

/** Returns the kinds of open steps in versions of built-in APIs that some clusters do not serve. */
export function agedKinds({ status }: InstallPlan): readonly ServedKind[] {
  const aged = (status?.plan ?? []).flatMap((step) => {
    if (step === null || isDone(step)) return [];
    const { group, version, kind } = kindOfStep(step);
    return isAged(group, version) ? [{ apiVersion: joinApiVersion(group, version), kind }] : [];
  });
  return aged.filter((one, index) => aged.findIndex((other) => isSameKind(one, other)) === index);
}

const isSameKind = (a: ServedKind, b: ServedKind): boolean => a.kind === b.kind && a.apiVersion === b.apiVersion;

/**
 * Returns OLM's message for a step with a missing API, with the step's bundle. Undefined if the API is
 * served.
 */
export function unservedText(step: InstallPlanStep, unserved: readonly ServedKind[]): string | undefined {
  const { group, version, kind } = kindOfStep(step);
  const apiVersion = joinApiVersion(group, version);
  if (!unserved.some((one) => isSameKind(one, { apiVersion, kind }))) return undefined;
  const whose = step.resolving === '' ? '' : ` of bundle ${step.resolving}`;
  const what = `api-server resource not found installing ${kind} ${step.resource.name}${whose}`;
  const others = REMOVED.has(`${apiVersion} ${kind}`)
    ? ', and no newer one does'
    : ' with this kind: its Kubernetes is another version, or has the API switched off';
  return `${what}: this cluster does not serve ${apiVersion}${others}`;
}
