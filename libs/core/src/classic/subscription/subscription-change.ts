import type { Subscription, SubscriptionCondition, SubscriptionStatus } from '../../kernel/api/subscription.js';
import { sameJson } from '../../kernel/canonical/same-json.js';
import { clipMessage } from '../../kernel/conditions/clip-message.js';
import { kubernetesTime } from '../../kernel/durations/kubernetes-time.js';

/** A Subscription's status after a decision. `changed` false: nothing to write, `status` is what it was. */
export type SubscriptionChange = Readonly<{ subscription: Subscription; status: SubscriptionStatus; changed: boolean }>;

export const statusOf = (subscription: Subscription): SubscriptionStatus => subscription.status ?? {};

/**
 * The change to `next`, or none where the two differ in nothing; a change sets lastUpdated,
 * which the schema demands.
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

export const conditionOf = (status: SubscriptionStatus, type: string): SubscriptionCondition | undefined =>
  status.conditions?.find((condition) => condition.type === type);

/** A condition to be set. `timed`: whether OLM gives this type a lastTransitionTime (subscriptions.md §4). */
export type WantedCondition = Readonly<{
  type: string;
  status: 'True' | 'False' | 'Unknown';
  reason?: string;
  message?: string;
  timed: boolean;
}>;

/**
 * The status with this condition: in place where the type is there, else at the end; untouched where
 * only times would differ. A timed condition's lastTransitionTime moves with every change of its
 * content, as OLM does it.
 */
export function withCondition(status: SubscriptionStatus, wanted: WantedCondition, now: string): SubscriptionStatus {
  const { timed, ...said } = wanted;
  const content = { ...said, ...(said.message === undefined ? {} : { message: clipMessage(said.message) }) };
  const old = conditionOf(status, wanted.type);
  if (old !== undefined && sameContent(old, content)) return status;
  const fresh = { ...content, ...(timed ? { lastTransitionTime: kubernetesTime(now) } : {}) };
  const conditions = status.conditions ?? [];
  const next = old === undefined ? [...conditions, fresh] : conditions.map((one) => (one === old ? fresh : one));
  return { ...status, conditions: next };
}

const sameContent = (
  old: SubscriptionCondition,
  { status, reason = '', message = '' }: Omit<WantedCondition, 'timed'>,
) => old.status === status && (old.reason ?? '') === reason && (old.message ?? '') === message;

/** The status without conditions of these types; the same object where it has none of them. */
export function withoutConditions(status: SubscriptionStatus, types: readonly string[]): SubscriptionStatus {
  const conditions = status.conditions ?? [];
  const left = conditions.filter(({ type }) => !types.includes(type));
  return left.length === conditions.length ? status : { ...status, conditions: left };
}
