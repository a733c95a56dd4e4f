import { describe, expect, it } from 'vitest';
import type { InstallPlan } from '../../../kernel/api/install-plan.js';
import type { Subscription } from '../../../kernel/api/subscription.js';
import { checkOfFailedPlan, requestedRetry, retriedStatus } from './retry-plan.js';

const FAILED_AT = '2026-01-01T00:00:00Z';
const secondsLater = (seconds: number): string => new Date(Date.parse(FAILED_AT) + seconds * 1000).toISOString();

const step = (name: string, status: string) => ({
  resolving: 'web.v1',
  status,
  resource: { sourceName: 's', sourceNamespace: 'olm', group: '', version: 'v1', kind: 'Service', name },
});

const plan = (status: Partial<InstallPlan['status']> = {}, annotations: Record<string, string> = {}): InstallPlan => ({
  apiVersion: 'operators.coreos.com/v1alpha1',
  kind: 'InstallPlan',
  metadata: { name: 'install-1', namespace: 'team', annotations },
  spec: { approval: 'Automatic', approved: true, clusterServiceVersionNames: ['web.v1'] },
  status: {
    phase: 'Failed',
    catalogSources: [],
    startTime: FAILED_AT,
    message: 'refused',
    plan: [step('one', 'Created'), step('two', 'Unknown')],
    conditions: [
      {
        type: 'Installed',
        status: 'False',
        reason: 'InstallComponentFailed',
        message: 'refused',
        lastUpdateTime: FAILED_AT,
      },
    ],
    ...status,
  },
});

const subscription = (ref: string): Subscription => ({
  apiVersion: 'operators.coreos.com/v1alpha1',
  kind: 'Subscription',
  metadata: { name: 'web', namespace: 'team' },
  spec: { name: 'web', source: 's', sourceNamespace: 'olm' },
  status: { installPlanRef: { name: ref } },
});

describe('when the step that stopped a failed plan is checked again', () => {
  it.each([
    { seconds: 1, due: false, againAfterMs: 5_000 },
    { seconds: 5, due: true, againAfterMs: 5_000 },
    { seconds: 60, due: true, againAfterMs: 15_000 },
    { seconds: 600, due: true, againAfterMs: 150_000 },
    { seconds: 7200, due: true, againAfterMs: 300_000 },
  ])('$seconds s after the failure', ({ seconds, due, againAfterMs }) => {
    expect(checkOfFailedPlan(plan(), [subscription('install-1')], secondsLater(seconds))).toEqual({
      due,
      againAfterMs,
    });
  });

  it.each([
    { what: 'a plan that is being executed', of: plan({ phase: 'Installing' }), ref: 'install-1' },
    { what: 'a plan that no Subscription refers to', of: plan(), ref: 'install-2' },
    {
      what: 'a plan with a kind that no plan may hold',
      of: plan({ plan: [step('x', 'UnsupportedResource')] }),
      ref: 'install-1',
    },
    { what: 'a plan whose steps are all done', of: plan({ plan: [step('x', 'Created')] }), ref: 'install-1' },
  ])('never: $what', ({ of, ref }) => {
    expect(checkOfFailedPlan(of, [subscription(ref)], secondsLater(60))).toBeUndefined();
  });
});

describe('a plan that is executed again', () => {
  it('keeps what is done, begins the retry time anew and says why', () => {
    const { status } = plan();
    if (status === undefined) throw new Error('no status');
    const retried = retriedStatus(status, 'CauseGone', secondsLater(60));
    expect(retried).toMatchObject({
      phase: 'Installing',
      plan: status.plan,
      conditions: [{ type: 'Installed', status: 'False', reason: 'CauseGone' }],
    });
    expect(retried).not.toHaveProperty('startTime');
    expect(retried).not.toHaveProperty('message');
  });

  it.each([
    { value: 'true', mode: 'steps' },
    { value: 'replan', mode: 'replan' },
    { value: 'yes', mode: undefined },
    { value: '', mode: undefined },
  ])('annotation "$value" asks for $mode', ({ value, mode }) => {
    expect(requestedRetry(plan({}, { 'flotilla.dev/retry': value }))).toBe(mode);
  });
});
