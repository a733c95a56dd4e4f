/**
 * Usage: `withPlanConditions(subscription, plan, now)`, with `plan` as a *live* read of
 * status.installPlanRef.
 */

import type { InstallPlan } from '../../kernel/api/install-plan.js';
import type { Subscription, SubscriptionStatus } from '../../kernel/api/subscription.js';
import { installedCondition } from '../install-plan/plan/plan-conditions.js';
import {
  changeTo,
  type SubscriptionChange,
  statusOf,
  unchanged,
  type WantedCondition,
  withCondition,
  withoutConditions,
} from './subscription-change.js';
import { type SubscriptionConditionType } from './subscription-conditions.js';

const PENDING = 'InstallPlanPending';
const FAILED = 'InstallPlanFailed';
const MISSING = 'InstallPlanMissing';
/** Types of the conditions that report on the plan of a Subscription. */
export const PLAN_CONDITIONS: readonly string[] = [PENDING, FAILED, MISSING];

/**
 * The condition for a plan in each phase (spec: subscriptions.md §4 "Install plan"); in any
 * other phase there is none.
 */
const REPORTED: ReadonlyMap<string, Readonly<{ type: SubscriptionConditionType; reason: string }>> = new Map([
  ['', { type: PENDING, reason: 'InstallPlanNotYetReconciled' }],
  ['Planning', { type: PENDING, reason: 'Planning' }],
  ['RequiresApproval', { type: PENDING, reason: 'RequiresApproval' }],
  ['Installing', { type: PENDING, reason: 'Installing' }],
  ['Failed', { type: FAILED, reason: 'InstallPlanFailed' }],
]);

/**
 * Returns the plan's own message: the reason for a retry, otherwise its Installed condition, otherwise the
 * obstacle of each bundle lookup. OLM leaves out the first. A plan may be retried for a minute, or until a
 * missing right is granted.
 */
function messageOf({ status }: InstallPlan): string {
  if (status?.phase === 'Installing' && status.message) return status.message;
  const installed = installedCondition(status)?.message ?? '';
  if (installed !== '') return installed;
  const pending = (status?.bundleLookups ?? []).flatMap(({ conditions }) =>
    Array.isArray(conditions) ? conditions : [],
  );
  return pending
    .filter((condition) => condition?.type === 'BundleLookupPending' && condition?.message)
    .map((condition) => `${condition.message}.`)
    .join(' ');
}

/** The one condition that a plan's phase asks for; a failed plan's own reason goes before the general one. */
function wantedFor(plan: InstallPlan): WantedCondition | undefined {
  const reported = REPORTED.get(plan.status?.phase ?? '');
  if (reported === undefined) return undefined;
  const installed = installedCondition(plan.status);
  const own = reported.type === FAILED && installed?.status === 'False' ? installed.reason : undefined;
  const message = messageOf(plan);
  return {
    type: reported.type,
    status: 'True',
    reason: own || reported.reason,
    ...(message === '' ? {} : { message }),
  };
}

/** The plan is gone, and with it all references to it: the namespace is resolved again. */
function withoutPlan(status: SubscriptionStatus): SubscriptionStatus {
  const { installPlanRef: _ref, installplan: _twin, currentCSV: _current, state: _state, ...rest } = status;
  return rest;
}

/**
 * Sets the condition of the referenced plan, or cleans up after a missing one. If the plan of a pending
 * upgrade is gone, the reference is cleared in every case. OLM keeps it when no condition changed, and then
 * stalls forever. Spec: subscriptions.md §4.
 */
export function withPlanConditions(
  subscription: Subscription,
  plan: InstallPlan | undefined,
  now: string,
): SubscriptionChange {
  const before = statusOf(subscription);
  if (before.installPlanRef === undefined) return unchanged(subscription);
  if (plan === undefined) return changeTo(subscription, afterLoss(before, now), now);
  const wanted = wantedFor(plan);
  const others = PLAN_CONDITIONS.filter((type) => type !== wanted?.type);
  const cleared = withoutConditions(before, others);
  return changeTo(subscription, wanted === undefined ? cleared : withCondition(cleared, wanted, now), now);
}

function afterLoss(before: SubscriptionStatus, now: string): SubscriptionStatus {
  const cleared = withoutConditions(before, [PENDING, FAILED]);
  if (before.state === 'UpgradePending') return withoutPlan(withoutConditions(cleared, [MISSING]));
  const reason = 'ReferencedInstallPlanNotFound';
  return withCondition(cleared, { type: MISSING, status: 'True', reason }, now);
}
