import type { Subscription, SubscriptionCondition, SubscriptionStatus } from '../../kernel/api/subscription.js';
import { sameJson } from '../../kernel/canonical/same-json.js';
import { clipMessage } from '../../kernel/conditions/clip-message.js';
import { conditionOf, removeConditions, replaceCondition } from '../../kernel/conditions/condition-list.js';
import { kubernetesTime } from '../../kernel/durations/kubernetes-time.js';
import { SUBSCRIPTION_CONDITIONS, type SubscriptionConditionType } from './subscription-conditions.js';

/**
 * A Subscription's status after a decision. If `changed` is false, there is nothing to write and `status` is
 * the previous one.
 */
export type SubscriptionChange = Readonly<{ subscription: Subscription; status: SubscriptionStatus; changed: boolean }>;

export const statusOf = (subscription: Subscription): SubscriptionStatus => subscription.status ?? {};

/**
 * Returns the change to `next`, or none if the two are equal. A change sets lastUpdated, as the schema
 * demands.
 */
export function changeTo(subscription: Subscription, next: SubscriptionStatus, now: string): SubscriptionChange {
  const before = statusOf(subscription);
  if (sameJson(before, next)) return { subscription, status: before, changed: false };
  return { subscription, status: { ...next, lastUpdated: kubernetesTime(now) }, changed: true };
}

/** No change at all. */
export const unchanged = (subscription: Subscription): SubscriptionChange => ({
  subscription,
  status: statusOf(subscription),
  changed: false,
});

/** A condition to be set. */
export type WantedCondition = Readonly<{
  type: SubscriptionConditionType;
  status: 'True' | 'False' | 'Unknown';
  reason?: string;
  message?: string;
}>;

/**
 * Returns the status with this condition: in place if the type exists, otherwise at the end. It is unchanged
 * if only times would differ. A timed condition's lastTransitionTime moves with every change of its content,
 * as in OLM.
 */
export function withCondition(status: SubscriptionStatus, wanted: WantedCondition, now: string): SubscriptionStatus {
  const content = { ...wanted, ...(wanted.message === undefined ? {} : { message: clipMessage(wanted.message) }) };
  const old = conditionOf(status.conditions, wanted.type);
  if (old !== undefined && sameContent(old, content)) return status;
  const fresh = {
    ...content,
    ...(SUBSCRIPTION_CONDITIONS[wanted.type].timed ? { lastTransitionTime: kubernetesTime(now) } : {}),
  };
  return { ...status, conditions: replaceCondition<SubscriptionCondition>(status.conditions ?? [], fresh) };
}

const sameContent = (old: SubscriptionCondition, { status, reason = '', message = '' }: WantedCondition) =>
  old.status === status && (old.reason ?? '') === reason && (old.message ?? '') === message;

/** Returns the status without conditions of these types, or the same object if it has none of them. */
export function withoutConditions(status: SubscriptionStatus, types: readonly string[]): SubscriptionStatus {
  const conditions = status.conditions ?? [];
  const left = removeConditions(conditions, types);
  return left === conditions ? status : { ...status, conditions: [...left] };
}
