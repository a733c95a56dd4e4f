import type { Subscription } from '../../kernel/api/subscription.js';
import { conditionOf, statusOf } from './subscription-change.js';

/**
 * Milliseconds to wait before the namespace's bundles are fetched again: after a failure that was told on a
 * Subscription, `minRetryMs` in all; 0 when at once. The telling itself is a change that wakes the namespace,
 * so without this every failure would be followed by another.
 */
export function pauseBeforeFetch(subscriptions: readonly Subscription[], minRetryMs: number, now: Date): number {
  const failures = subscriptions
    .filter((subscription) => conditionOf(statusOf(subscription), 'BundleUnpackFailed')?.status === 'True')
    .map(({ status }) => Date.parse(status?.lastUpdated ?? '') || 0);
  return Math.max(0, ...failures.map((told) => told + minRetryMs - now.getTime()));
}
