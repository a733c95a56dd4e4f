import { planInstall, type ResolvedResolution } from '#core/classic/install-plan/creation/plan-install';
import { CSV_KIND, kindOfStep } from '#core/classic/install-plan/steps/install-plan-step';
import { isClusterScoped, manifestOf } from '#core/classic/install-plan/steps/step-manifest';
import type { ObservedNamespace } from '#core/classic/resolution/problem/resolution-problem';
import {
  ClusterServiceVersion,
  type PolicyRule,
  type StrategyPermission,
} from '#core/kernel/api/cluster-service-version';
import type { InstallPlanStep } from '#core/kernel/api/install-plan';
import { joinApiVersion, type KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { readForeign } from '#core/kernel/verdict/read-foreign';

/** One object that the InstallPlan would create or update. */
export type PlannedStep = Readonly<{ apiVersion: string; kind: string; name: string; namespace?: string }>;

/** The rights that an operator's service account would get. */
export type PlannedPermission = Readonly<{
  serviceAccount: string;
  /** The namespace of the rights; absent for the whole cluster. */
  namespace?: string;
  rules: readonly PolicyRule[];
}>;

/** The facts in a bundle's manifests beyond its catalog. */
export type BundleSteps = Readonly<{ steps: readonly PlannedStep[]; permissions: readonly PlannedPermission[] }>;

/** Known manifests by CSV name. */
export type ManifestsByCsv = ReadonlyMap<string, readonly KubernetesObject[]>;

/**
 * Returns steps and permissions by CSV name, as the InstallPlan would hold them, for bundles with available
 * manifests. Throws BundleNotInstallable.
 */
export function stepsByBundle(
  { namespace, subscriptions }: ObservedNamespace,
  resolution: ResolvedResolution,
  manifests: ManifestsByCsv,
): ReadonlyMap<string, BundleSteps> {
  const chosen = resolution.chosen.filter(({ name }) => manifests.has(name));
  const bundles = new Map([...manifests].map(([name, objects]) => [name, { objects }]));
  const planned = planInstall({
    namespace,
    subscriptions,
    bundles,
    existingPlans: [],
    resolution: { ...resolution, chosen },
  });
  const steps = planned.result === 'plan' ? (planned.status.plan ?? []).filter((step) => step !== null) : [];
  return new Map(chosen.map(({ name }) => [name, bundleSteps(steps, name, namespace)]));
}

function bundleSteps(steps: readonly InstallPlanStep[], bundle: string, namespace: string): BundleSteps {
  const own = steps.filter(({ resolving }) => resolving === bundle);
  return { steps: own.map((step) => stepOf(step, namespace)), permissions: permissionsOf(own, namespace) };
}

function stepOf(step: InstallPlanStep, namespace: string): PlannedStep {
  const { group, version, kind } = kindOfStep(step);
  const place = isClusterScoped(kind) ? {} : { namespace };
  return { apiVersion: joinApiVersion(group, version), kind, name: step.resource.name, ...place };
}

function permissionsOf(steps: readonly InstallPlanStep[], namespace: string): PlannedPermission[] {
  const step = steps.find(({ resource }) => resource.kind === CSV_KIND);
  const manifest = step && manifestOf(step);
  if (manifest === undefined || 'fail' in manifest) return [];
  const csv = readForeign(ClusterServiceVersion, manifest.object);
  const strategy = 'value' in csv ? csv.value.spec.install?.spec : undefined;
  const granted = ({ serviceAccountName, rules = [] }: StrategyPermission) => ({
    serviceAccount: serviceAccountName,
    rules,
  });
  return [
    ...(strategy?.permissions ?? []).map((permission) => ({ ...granted(permission), namespace })),
    ...(strategy?.clusterPermissions ?? []).map(granted),
  ];
}
