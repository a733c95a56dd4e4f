/**
 * Usage: `const planned = planInstall({...})`. If `planned.result === 'plan'`, the shell creates
 * `planned.plan` by POST; an existing object of that name is its own earlier work. It then PUTs
 * `planned.status` into the status subresource if the live plan has no status, and writes the Subscriptions
 * of `applyResolution`. Repeating the whole finds the same plan.
 */
import type { InstallPlan, InstallPlanStatus, InstallPlanStep } from '../../../kernel/api/install-plan.js';
import { INSTALL_PLAN_API } from '../../../kernel/api/install-plan.js';
import type { KubernetesObject, OwnerReference } from '../../../kernel/api/kubernetes-object.js';
import type { Subscription } from '../../../kernel/api/subscription.js';
import { SUBSCRIPTION_API } from '../../../kernel/api/subscription.js';
import { byCodeUnit, canonicalHash } from '../../../kernel/canonical/canonical-json.js';
import { FlotillaError } from '../../../kernel/errors/flotilla.error.js';
import { componentLabel } from '../../operators/component-label.js';
import type { ChosenBundle, Resolution } from '../../resolution/problem/resolution-problem.js';
import { MOVES_ANNOTATION, movesAnnotation } from '../plan/plan-moves.js';
import { CRD_KIND, CSV_KIND, SUBSCRIPTION_KIND, stepOf } from '../steps/install-plan-step.js';
import { type BundleLookup, bundleLookups } from './bundle-lookups.js';
import { type BundleSource, byReference } from './bundle-reference.js';
import { stepsOfBundle } from './bundle-steps.js';
import { fitSteps } from './fit-steps.js';

export type ResolvedResolution = Extract<Resolution, { result: 'resolved' }>;

type BundleManifests = Readonly<{
  /** Objects in bundle order. */
  objects: readonly KubernetesObject[];
  /**
   * The place from which the manifests can be fetched again when the plan is executed. Absent in a plan that
   * is only shown: that may have any size.
   */
  source?: BundleSource;
}>;

export type InstallToPlan = Readonly<{
  namespace: string;
  /** All Subscriptions of the namespace. */
  subscriptions: readonly Subscription[];
  resolution: ResolvedResolution;
  /** Per CSV name. */
  bundles: ReadonlyMap<string, BundleManifests>;
  /** All InstallPlans of the namespace. */
  existingPlans: readonly InstallPlan[];
}>;

export type PlannedInstall =
  /** Nothing to write: no Subscription moves (spec: classic-resolution.md §11). */
  | Readonly<{ result: 'nothing'; because: string }>
  | Readonly<{
      result: 'plan';
      plan: InstallPlan;
      status: InstallPlanStatus;
      generation: number;
      /** The plan of an earlier, interrupted pass; absent when it must be created. */
      existing?: InstallPlan;
    }>;

/** Thrown if the manifests of a chosen bundle were not passed in: fetch them and plan again. */
class BundleContentMissing extends FlotillaError {
  readonly code = 'BundleContentMissing';
  readonly retry = 'backoff';
  constructor(readonly csv: string) {
    super(`the manifests of ${csv} are not available, and the plan cannot be created without them`);
  }
}

/**
 * The chosen bundles that need steps: not those that every Subscription has already
 * (spec: classic-resolution.md §11).
 */
export const bundlesToInstall = ({ chosen }: ResolvedResolution): readonly ChosenBundle[] =>
  chosen.filter(({ upToDate }) => upToDate !== true);

const generationOf = (plan: InstallPlan): number => plan.spec.generation ?? 0;
const highest = (numbers: readonly number[]): number => numbers.reduce((a, b) => Math.max(a, b), 0);

/**
 * Name of the plan of this generation and solution: equal input, equal name (a repeated
 * job finds its own plan).
 */
const planName = (generation: number, { chosen, subscriptionsCreated }: ResolvedResolution): string =>
  `install-${canonicalHash({ generation, chosen, subscriptionsCreated }).slice(0, 12)}`;

/** One Manual Subscription makes every plan of the namespace Manual (spec: install-plans.md §1). */
const approvalOf = (subscriptions: readonly Subscription[]): 'Manual' | 'Automatic' =>
  subscriptions.some(({ spec }) => spec.installPlanApproval === 'Manual') ? 'Manual' : 'Automatic';

const ownerOf = (subscription: Subscription): OwnerReference => ({
  ...SUBSCRIPTION_API,
  name: subscription.metadata.name ?? '',
  uid: subscription.metadata.uid ?? '',
  controller: false,
  blockOwnerDeletion: false,
});

/** The component labels of the Subscriptions that will refer to the plan; OLM adds them later. */
function labelsOf(subscriptions: readonly Subscription[], { subscriptionsUpdated }: ResolvedResolution) {
  const moving = new Set(subscriptionsUpdated.map(({ name }) => name));
  const labels = subscriptions
    .filter(({ metadata }) => moving.has(metadata.name ?? ''))
    .map(({ metadata, spec }) => [componentLabel(spec.name, metadata.namespace ?? ''), ''] as const);
  return labels.length === 0 ? {} : { labels: Object.fromEntries(labels) };
}

/**
 * Finds a plan made by an interrupted pass: newer than the plans that any Subscription refers to, of this
 * solution and of the Subscriptions that move. (If its status was also written, bookkeepSubscription finishes
 * the pass and no plan is made again.)
 */
function unfinishedPlan({ subscriptions, resolution, existingPlans }: InstallToPlan): InstallPlan | undefined {
  const known = highest(subscriptions.map(({ status }) => status?.installPlanGeneration ?? 0));
  const moving = new Set(resolution.subscriptionsUpdated.map(({ name }) => name));
  const uids = subscriptions
    .filter(({ metadata }) => moving.has(metadata.name ?? ''))
    .map(({ metadata }) => metadata.uid);
  return existingPlans.find((plan) => {
    const owners = new Set(plan.metadata.ownerReferences?.map(({ uid }) => uid));
    return (
      generationOf(plan) > known &&
      plan.metadata.deletionTimestamp === undefined &&
      plan.metadata.name === planName(generationOf(plan), resolution) &&
      uids.every((uid) => uid !== undefined && owners.has(uid))
    );
  });
}

function stepsOfChosen(input: InstallToPlan, chosen: ChosenBundle): InstallPlanStep[] {
  const bundle = input.bundles.get(chosen.name);
  if (bundle === undefined) throw new BundleContentMissing(chosen.name);
  const catalogSource = { namespace: chosen.catalogNamespace, name: chosen.catalog };
  const { replaces, properties } = chosen;
  const { namespace } = input;
  const subscribed = input.resolution.subscriptionsCreated.filter(({ spec }) => spec['startingCSV'] === chosen.name);
  const origin = { resolving: chosen.name, sourceName: chosen.catalog, sourceNamespace: chosen.catalogNamespace };
  return [
    ...stepsOfBundle({ objects: bundle.objects, catalogSource, namespace, replaces, properties }),
    ...subscribed.map(({ name, spec }) => stepOf({ ...SUBSCRIPTION_API, metadata: { name, namespace }, spec }, origin)),
  ];
}

/** The steps with references in place of manifests that would make the plan too large. */
function fitted(
  steps: readonly InstallPlanStep[],
  lookups: readonly BundleLookup[],
  { bundles, resolution }: InstallToPlan,
): readonly InstallPlanStep[] {
  if ([...bundles.values()].every(({ source }) => source === undefined)) return steps;
  const chosen = new Map(resolution.chosen.map((one) => [one.name, one]));
  return fitSteps(
    steps,
    (step) => {
      const [bundle, source] = [chosen.get(step.resolving), bundles.get(step.resolving)?.source];
      if (bundle === undefined || source === undefined || step.resource.kind === SUBSCRIPTION_KIND) return undefined;
      const catalogSource = { name: bundle.catalog, namespace: bundle.catalogNamespace };
      return byReference(step, { ...bundle, source, catalogSource });
    },
    lookups,
  );
}

/** The status of a new plan: the second of OLM's two writes (spec: install-plans.md §1). */
function firstStatus(
  steps: readonly InstallPlanStep[],
  lookups: readonly BundleLookup[],
  approved: boolean,
): InstallPlanStatus {
  const catalogSources = [...new Set(steps.map(({ resource }) => resource.sourceName))].toSorted(byCodeUnit);
  return {
    phase: approved ? 'Installing' : 'RequiresApproval',
    catalogSources,
    ...(lookups.length === 0 ? {} : { bundleLookups: [...lookups] }),
    plan: [...steps],
  };
}

/**
 * The InstallPlan of a resolution, and the status that is written after it. Deterministic. Throws
 * {@link BundleContentMissing}, BundleNotInstallable. Spec: install-plans.md §1; decision on plan
 * names: `install-<hash>`.
 */
export function planInstall(input: InstallToPlan): PlannedInstall {
  const { namespace, subscriptions, resolution, existingPlans } = input;
  if (resolution.subscriptionsUpdated.length === 0) return { result: 'nothing', because: 'no Subscription moves' };
  const whole = orderSteps(bundlesToInstall(resolution).flatMap((chosen) => stepsOfChosen(input, chosen)));
  if (whole.length === 0) return { result: 'nothing', because: 'the solution has no steps' };
  const lookups = bundleLookups(bundlesToInstall(resolution));
  const steps = fitted(whole, lookups, input);
  const existing = unfinishedPlan(input);
  const seen = [...existingPlans.map(generationOf), ...subscriptions.map((s) => s.status?.installPlanGeneration ?? 0)];
  const generation = existing === undefined ? 1 + highest(seen) : generationOf(existing);
  const approval = approvalOf(subscriptions);
  const approved = existing?.spec.approved ?? approval === 'Automatic';
  const plan: InstallPlan = {
    ...INSTALL_PLAN_API,
    metadata: {
      name: planName(generation, resolution),
      namespace,
      ...labelsOf(subscriptions, resolution),
      annotations: { [MOVES_ANNOTATION]: movesAnnotation(resolution.subscriptionsUpdated) },
      ownerReferences: subscriptions.map(ownerOf).toSorted((a, b) => byCodeUnit(a.name, b.name)),
    },
    spec: {
      approval,
      approved: approval === 'Automatic',
      clusterServiceVersionNames: steps.filter(isCsvStep).map(({ resource }) => resource.name),
      generation,
    },
  };
  const status = firstStatus(steps, lookups, approved);
  return { result: 'plan', plan, status, generation, ...(existing === undefined ? {} : { existing }) };
}

const isCsvStep = ({ resource }: InstallPlanStep): boolean => resource.kind === CSV_KIND;

const rank = ({ resource }: InstallPlanStep): number => {
  if (resource.kind === CSV_KIND) return 0;
  return resource.kind === CRD_KIND ? 1 : 2;
};

/**
 * Puts all CSVs first, then all CRDs, then the rest. Inside each group the given order stays (spec:
 * install-plans.md §2).
 */
const orderSteps = (steps: readonly InstallPlanStep[]): InstallPlanStep[] =>
  steps.toSorted((a, b) => rank(a) - rank(b));
