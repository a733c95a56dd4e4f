import type { InstallPlan } from '../../kernel/api/install-plan.js';
import type { ObjectMeta } from '../../kernel/api/kubernetes-object.js';
import type { Subscription } from '../../kernel/api/subscription.js';
import { ADVICE } from '../advice/advice.js';
import {
  denialsOf,
  FLEET_MARKS,
  OPERATOR_ANNOTATION,
  PREVIOUS_ANNOTATION,
  previousOf,
  resultOf,
} from '../marks/fleet-marks.js';

/**
 * Marks a Subscription with plans that the fleet decides about, and names the deciding objects as far as
 * known.
 */
export type FleetWork = Readonly<{
  /** `<namespace>/<name>` of the FleetOperator; empty: not known. */
  operator: string;
  /** `<namespace>/<name>` of the FleetRollout that had it last; empty: none, or not known. */
  rollout: string;
}>;

/** A package that the fleet works in a namespace, as the hub's orders say. */
export type OrderedPackage = FleetWork & Readonly<{ package: string }>;

/**
 * Returns the fleet's work on a Subscription, by the fleet's own annotation or the annotations of an attempt.
 * The annotations stay if a FleetOperator is removed with `removal: Keep` (why: fleet-operators.md "Clusters
 * that leave a FleetOperator").
 */
export function fleetWorkOf({ metadata }: Readonly<{ metadata: ObjectMeta }>): FleetWork | undefined {
  const { annotations = {} } = metadata;
  if (!FLEET_MARKS.some((mark) => annotations[mark] !== undefined)) return undefined;
  const marked = previousOf({ metadata }) ?? resultOf({ metadata }) ?? denialsOf({ metadata }).at(-1);
  const rollout = marked?.rollout ?? '';
  // Rollouts of FleetOperator `a/b` are `a/b-1`, `a/b-2` …
  const operator = annotations[OPERATOR_ANNOTATION] ?? /^(.+)-\d+$/.exec(rollout)?.[1] ?? '';
  return { operator, rollout };
}

/** Annotations that say the same to {@link fleetWorkOf}; undefined: the fleet does not work it. */
export function fleetMarksOf(object: Readonly<{ metadata: ObjectMeta }>): Readonly<Record<string, string>> | undefined {
  const work = fleetWorkOf(object);
  if (work === undefined) return undefined;
  const previous = { rollout: work.rollout, attempt: 0, bundle: null };
  return {
    [OPERATOR_ANNOTATION]: work.operator,
    ...(work.rollout === '' ? {} : { [PREVIOUS_ANNOTATION]: JSON.stringify(previous) }),
  };
}

/** The Subscription through which the fleet decides about a plan, with the deciding objects. */
type PlanDecider = FleetWork & Readonly<{ subscription: string; namespace: string }>;

/**
 * Returns the Subscription through which the fleet decides about a plan: the plan moves it, is owned by it,
 * or is referred to from it. `ordered`: the hub's orders for the namespace. They take precedence over any
 * annotation.
 */
export function deciderOfPlan(
  { metadata, spec }: Pick<InstallPlan, 'metadata' | 'spec'>,
  subscriptions: readonly Subscription[],
  ordered: readonly OrderedPackage[] = [],
): PlanDecider | undefined {
  const owners = new Set(
    metadata.ownerReferences?.filter(({ kind }) => kind === 'Subscription').map(({ name }) => name),
  );
  const concerned = subscriptions.filter(
    ({ metadata: { name = '' }, status }) =>
      owners.has(name) ||
      status?.installPlanRef?.name === metadata.name ||
      spec.clusterServiceVersionNames.includes(status?.currentCSV ?? ''),
  );
  for (const subscription of concerned) {
    const { name = '', namespace = '' } = subscription.metadata;
    const work = ordered.find((one) => one.package === subscription.spec.name) ?? fleetWorkOf(subscription);
    if (work !== undefined) return { subscription: name, namespace, operator: work.operator, rollout: work.rollout };
  }
  return undefined;
}

/** Names the deciding object for a sentence. */
export const fleetWorkText = ({ operator, rollout }: FleetWork): string =>
  operator === '' ? 'rollouts of the fleet' : `rollouts of FleetOperator ${operator}${rolloutText(rollout)}`;

const rolloutText = (rollout: string): string => (rollout === '' ? '' : ` (the last here: ${rollout})`);

/** Returns the reason why neither the console nor `flotilla approve` approves a plan, with advice. */
export function decidedByFleet(decider: PlanDecider): string {
  const { subscription, namespace, operator } = decider;
  const what = `the plan is decided by ${fleetWorkText(decider)}, with their own waves, windows and approvals`;
  return `${what}. ${ADVICE.seeRollouts(operator)}. ${ADVICE.takeFromFleet(namespace, subscription)}`;
}

/** A package that orders of the hub are about, as a ClusterExtension: with its install namespace. */
export type OrderedExtension = OrderedPackage & Readonly<{ namespace: string }>;

/** Returns the fleet's work on a ClusterExtension. Orders of the hub take precedence over any annotation. */
export function fleetWorkOfExtension(
  extension: Readonly<{ metadata: ObjectMeta; package: string; namespace: string }>,
  ordered: readonly OrderedExtension[] = [],
): FleetWork | undefined {
  const order = ordered.find((one) => one.package === extension.package && one.namespace === extension.namespace);
  return order ?? fleetWorkOf(extension);
}

/** Returns the reason why the console does not roll a ClusterExtension back, with advice. */
export const heldByFleet = (work: FleetWork): string =>
  `its version is decided by ${fleetWorkText(work)}, which would revert this change: deny the version there. ${ADVICE.seeRollouts(work.operator)}`;
