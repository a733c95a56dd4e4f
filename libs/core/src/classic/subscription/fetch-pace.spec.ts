import { describe, expect, it } from 'vitest';
import type { Subscription } from '../../kernel/api/subscription.js';
import { pauseBeforeFetch } from './fetch-pace.js';

const at = (seconds: number) => new Date(Date.UTC(2026, 0, 1, 12, 0, seconds));
const subscription = (status: 'True' | 'False' | undefined, reportedAt?: number, isFetching = false): Subscription => ({
  apiVersion: 'operators.coreos.com/v1alpha1',
  kind: 'Subscription',
  metadata: { name: 'gear', namespace: 'mill' },
  spec: { name: 'gear', source: 'shelf', sourceNamespace: 'olm' },
  status: {
    ...(reportedAt === undefined ? {} : { lastUpdated: at(reportedAt).toISOString() }),
    conditions: [
      ...(status === undefined ? [] : [{ type: 'BundleUnpackFailed', status }]),
      ...(isFetching ? [{ type: 'BundleUnpacking', status: 'True' as const }] : []),
    ],
  },
});

describe('pauseBeforeFetch', () => {
  it.each([
    { because: 'nothing failed', subscriptions: [subscription(undefined, 0)], wanted: 0 },
    { because: 'it failed this very second', subscriptions: [subscription('True', 10)], wanted: 15_000 },
    { because: 'part of the pause is over', subscriptions: [subscription('True', 0)], wanted: 5_000 },
    { because: 'the pause is over', subscriptions: [subscription('True', -20)], wanted: 0 },
    { because: 'the failure is over', subscriptions: [subscription('False', 10)], wanted: 0 },
    { because: 'nobody knows when it failed', subscriptions: [subscription('True')], wanted: 0 },
    { because: 'it is fetched again now', subscriptions: [subscription('True', 10, true)], wanted: 0 },
    { because: 'the clock was ahead when it failed', subscriptions: [subscription('True', 3_600)], wanted: 0 },
    {
      because: 'the newest failure counts',
      subscriptions: [subscription('True', 0), subscription('True', 8)],
      wanted: 13_000,
    },
  ])('$because → $wanted ms', ({ subscriptions, wanted }) => {
    expect(pauseBeforeFetch(subscriptions, 15_000, at(10))).toBe(wanted);
  });
});
