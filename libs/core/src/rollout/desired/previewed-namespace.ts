import type { Subscription } from '../../kernel/api/subscription.js';
import { type DesiredClassic, type OverlaidNamespace, withDesired } from './desired-classic.js';
import { isIsolated } from './desired-group.js';
import { subscriptionChanges } from './subscription-changes.js';

/** The Subscription of the package that a FleetOperator wants. */
export const subscriptionFor = (
  { subscriptions }: Pick<OverlaidNamespace, 'subscriptions'>,
  { operator }: Pick<DesiredClassic, 'operator'>,
): Subscription | undefined => subscriptions.find(({ spec }) => spec.name === operator.spec.package);

/** True if the fleet requests no change that requires a new resolution of the namespace. */
export function isAsked(live: OverlaidNamespace, desired: DesiredClassic): boolean {
  const subscribed = subscriptionFor(live, desired);
  if (subscribed === undefined || subscriptionChanges(subscribed, desired).isResolvedAnew) return false;
  // A group that is adopted gets isolation: each operator has plans of its own then.
  return !desired.adoptsGroup || live.operatorGroups.every(isIsolated);
}

/**
 * True if all requested changes are in place and the plan of an upgrade exists already: it waits, or runs. A
 * first install leads to the end of its channel by itself: no plan follows its plan.
 */
export function hasPlanMade(live: OverlaidNamespace, desired: DesiredClassic): boolean {
  const subscribed = subscriptionFor(live, desired);
  if (subscribed?.status?.installedCSV === undefined) return false;
  return isPending(subscribed) && isAsked(live, desired);
}

/**
 * Returns the desired state for a preview. No operator moves the catalog of a Staged FleetCatalog. Therefore
 * the next plans after a waiting one follow from the content that the cluster has.
 */
export function previewedWith(live: OverlaidNamespace, desired: DesiredClassic): DesiredClassic {
  if (!desired.isStaged || !hasPlanMade(live, desired)) return desired;
  return { ...desired, catalogSource: undefined, catalogDigest: undefined };
}

/**
 * Returns the namespace for a preview: with the desired objects, or the reason why they do not fit in it. The
 * path of an operator begins with the plan that waits for it there. Existing plans count as not created,
 * unless the fleet gives its catalog other content.
 */
export function previewedNamespace(
  live: OverlaidNamespace,
  desired: DesiredClassic,
  hasOtherContent: boolean,
): OverlaidNamespace | string {
  const overlaid = withDesired(live, desired);
  if (typeof overlaid === 'string' || hasOtherContent || !hasPlanMade(live, desired)) return overlaid;
  return { ...overlaid, subscriptions: overlaid.subscriptions.map(withoutPlan) };
}

const isPending = ({ status }: Subscription): boolean =>
  status?.state === 'UpgradePending' && status.currentCSV !== status.installedCSV;

function withoutPlan(subscription: Subscription): Subscription {
  if (!isPending(subscription) || subscription.status === undefined) return subscription;
  const {
    installPlanRef: _ref,
    installplan: _plan,
    currentCSV: _current,
    state: _state,
    ...kept
  } = subscription.status;
  const { installedCSV } = kept;
  const status = installedCSV === undefined ? kept : { ...kept, currentCSV: installedCSV, state: 'AtLatestKnown' };
  return { ...subscription, status };
}
