import type { Subscription } from '../../kernel/api/subscription.js';
import { isTrue } from '../../kernel/conditions/condition-list.js';
import { leftOf } from '../../kernel/durations/left-of.js';
import { statusOf } from './subscription-change.js';
import type { SubscriptionConditionType } from './subscription-conditions.js';

/**
 * Milliseconds to wait before the namespace's bundles are fetched again; 0 if they may be fetched at once.
 * The pause after a failure that was written to a Subscription is `minRetryMs` in all. That write is itself a
 * change that starts a pass, so without this pause every failure would be followed by another. There is no
 * pause for bundles that are being fetched.
 */
export function pauseBeforeFetch(subscriptions: readonly Subscription[], minRetryMs: number, now: Date): number {
  const failures = subscriptions
    .filter((subscription) => holds(subscription, 'BundleUnpackFailed') && !holds(subscription, 'BundleUnpacking'))
    .map(({ status }) => Date.parse(status?.lastUpdated ?? '') || 0);
  return Math.max(0, ...failures.map((reported) => leftOf(minRetryMs, reported, now.getTime())));
}

const holds = (subscription: Subscription, type: SubscriptionConditionType): boolean =>
  isTrue(statusOf(subscription).conditions, type);
