/**
 * Bookkeeping of Subscriptions. Each pass does this before it resolves:
 *
 * ```
 * for each subscription of the namespace
 *   bookkeepSubscription(subscription, { csvs, plans, failForward }, now)
 * if any changed: write, and end the pass (a fresh read decides again)
 * if needsResolution(all): resolve
 * ```
 */
import type { InstallPlan } from '../../kernel/api/install-plan.js';
import { INSTALL_PLAN_API } from '../../kernel/api/install-plan.js';
import type { Subscription, SubscriptionStatus } from '../../kernel/api/subscription.js';
import { GENERATED_BY } from '../install-plan/execution/decide-step.js';
import { forgottenMove } from '../install-plan/plan/plan-moves.js';
import { changeTo, type SubscriptionChange, statusOf } from './subscription-change.js';

/** Objects of the namespace that a Subscription's state depends on. */
export type SubscriptionSurroundings = Readonly<{
  /** Names of the CSVs that exist in the namespace, copies included: OLM does not distinguish them here. */
  csvs: ReadonlySet<string>;
  /** The namespace's InstallPlans by name. */
  plans: ReadonlyMap<string, InstallPlan>;
  /** The OperatorGroup's upgradeStrategy is TechPreviewUnsafeFailForward. */
  failForward: boolean;
}>;

/** The two references to a plan that a Subscription carries. */
function planReferences(plan: InstallPlan): Pick<SubscriptionStatus, 'installPlanRef' | 'installplan'> {
  const { name = '', namespace = '', uid = '', resourceVersion = '' } = plan.metadata;
  return {
    installPlanRef: { ...INSTALL_PLAN_API, namespace, name, uid, resourceVersion },
    installplan: { ...INSTALL_PLAN_API, name, uuid: uid },
  };
}

/** Returns UpgradePending, or UpgradeFailed if the group lets an upgrade continue past a failed plan. */
const notInstalled = (plan: InstallPlan | undefined, { failForward }: SubscriptionSurroundings): string =>
  failForward && plan?.status?.phase === 'Failed' ? 'UpgradeFailed' : 'UpgradePending';

/** §2.4a: a Subscription that a plan made takes over the reference to it. */
function adopted(subscription: Subscription, around: SubscriptionSurroundings): SubscriptionStatus | undefined {
  const status = statusOf(subscription);
  const maker = subscription.metadata.annotations?.[GENERATED_BY];
  if (maker === undefined || status.installPlanRef !== undefined || status.installplan !== undefined) return undefined;
  const plan = around.plans.get(maker);
  if (plan === undefined) return undefined;
  const { startingCSV = '' } = subscription.spec;
  const current = startingCSV === '' ? {} : { currentCSV: startingCSV };
  return { ...status, ...planReferences(plan), ...current, state: notInstalled(plan, around) };
}

/** A plan was made for this Subscription, but the pass that made it ended before it wrote that here. */
function rejoined(subscription: Subscription, { plans }: SubscriptionSurroundings): SubscriptionStatus | undefined {
  const move = forgottenMove(subscription, plans.values());
  return move === undefined ? undefined : movedTo(statusOf(subscription), move.plan, move.currentCSV);
}

/** The status of a Subscription that a plan moves to a CSV (spec: subscriptions.md §2.8). */
export const movedTo = (status: SubscriptionStatus, plan: InstallPlan, currentCSV: string): SubscriptionStatus => ({
  ...status,
  ...planReferences(plan),
  currentCSV,
  installPlanGeneration: plan.spec.generation ?? 0,
  state: 'UpgradePending',
});

/** §2.4b: installed as soon as the CSV object exists, whatever its phase. */
function stated(status: SubscriptionStatus, around: SubscriptionSurroundings): SubscriptionStatus {
  const { currentCSV = '' } = status;
  if (currentCSV === '') return status;
  if (!around.csvs.has(currentCSV)) {
    const state = notInstalled(around.plans.get(status.installPlanRef?.name ?? ''), around);
    return status.state === state ? status : { ...status, state };
  }
  return status.state === 'AtLatestKnown' ? status : { ...status, state: 'AtLatestKnown', installedCSV: currentCSV };
}

/**
 * The Subscription's own book: the reference to its plan and its state, in one write (measured: a
 * Subscription that a plan generated goes straight to AtLatestKnown, for its CSV was created before it).
 * Spec: subscriptions.md §2.4.
 */
export function bookkeepSubscription(
  subscription: Subscription,
  around: SubscriptionSurroundings,
  now: string,
): SubscriptionChange {
  const rejoining = rejoined(subscription, around);
  if (rejoining !== undefined) return changeTo(subscription, rejoining, now);
  return changeTo(subscription, stated(adopted(subscription, around) ?? statusOf(subscription), around), now);
}

/**
 * False while every Subscription waits for its plan: one that does not is enough to resolve all (spec: §2.5).
 */
export const needsResolution = (subscriptions: readonly Subscription[]): boolean =>
  subscriptions.some(({ status }) => status?.installPlanRef === undefined || status.state !== 'UpgradePending');
