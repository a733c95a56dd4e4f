import { describe, expect, it } from 'vitest';
import { INSTALL_PLAN_API, InstallPlan } from '../../kernel/api/install-plan.js';
import { SUBSCRIPTION_API, Subscription } from '../../kernel/api/subscription.js';
import { hopHash } from '../../rollout/review/hop-hash.js';
import type { ConsoleAction } from './console-action.js';
import { APPROVAL_ANNOTATIONS, decideApproval } from './decide-approval.js';
import { decidePlanRetry } from './decide-plan-retry.js';

type PlanMore = Readonly<{
  approved?: boolean;
  phase?: string;
  manifest?: string;
  annotations?: Record<string, string>;
}>;

const plan = ({ approved = false, phase = 'RequiresApproval', manifest = '{}', annotations = {} }: PlanMore = {}) =>
  InstallPlan.parse({
    ...INSTALL_PLAN_API,
    metadata: { name: 'install-1', namespace: 'lamps', resourceVersion: '7', annotations },
    spec: { approval: 'Manual', approved, clusterServiceVersionNames: ['lamp.v2.0.0'], generation: 1 },
    status: {
      phase,
      catalogSources: [],
      plan: [
        {
          resolving: 'lamp.v2.0.0',
          status: 'Unknown',
          resource: {
            ...{ group: 'operators.coreos.com', version: 'v1alpha1', kind: 'ClusterServiceVersion' },
            ...{ name: 'lamp.v2.0.0', sourceName: 'samples', sourceNamespace: 'olm', manifest },
          },
        },
      ],
    },
  });
const subscription = (planName = 'install-1') =>
  Subscription.parse({
    ...SUBSCRIPTION_API,
    metadata: { name: 'lamp', namespace: 'lamps' },
    spec: { name: 'lamp', source: 'samples', sourceNamespace: 'olm', channel: 'stable' },
    status: {
      ...{ currentCSV: 'lamp.v2.0.0', installedCSV: 'lamp.v1.0.0' },
      installPlanRef: { ...INSTALL_PLAN_API, name: planName, namespace: 'lamps' },
    },
  });
const moves = [{ subscription: 'lamp', from: 'lamp.v1.0.0', to: 'lamp.v2.0.0' }];
const HASH = hopHash(plan(), moves, 'olm');
const ACTION: Omit<ConsoleAction, 'targets'> = {
  ...{ v: 1, id: '7f9c3c0e-3f3f-4c44-8b8e-3e4b2f1d2c11', verb: 'approve', planHash: HASH, by: 'jane@example.com' },
  ...{ at: '2026-11-26T10:00:00Z', comment: 'CHG-4711\n\u001b[2J second line' },
};
const facts = (found: InstallPlan | undefined, successor = 'install-1') => ({
  ...{ plan: found, subscriptions: [subscription(successor)], moves, globalCatalogNamespace: 'olm' },
});

describe('the approval of a plan that was reviewed', () => {
  it('names the person, the time and the content, is locked to what was read, and has one line of comment', () => {
    expect(decideApproval(facts(plan()), ACTION)).toEqual({
      patch: {
        metadata: {
          resourceVersion: '7',
          annotations: {
            [APPROVAL_ANNOTATIONS.by]: 'jane@example.com',
            [APPROVAL_ANNOTATIONS.at]: '2026-11-26T10:00:00Z',
            [APPROVAL_ANNOTATIONS.plan]: HASH,
            [APPROVAL_ANNOTATIONS.comment]: 'CHG-4711 [2J second line',
          },
        },
        spec: { approved: true },
      },
    });
  });

  const by = { [APPROVAL_ANNOTATIONS.by]: 'bob' };
  it.each([
    ['is gone', facts(undefined), 'no longer exists'],
    ['was approved by another person', facts(plan({ approved: true, annotations: by })), 'approved already, by bob'],
    ['is complete', facts(plan({ phase: 'Complete' })), 'does not wait for approval: phase Complete'],
    ['has no steps yet', facts(plan({ phase: 'Planning' })), 'phase Planning'],
    ['has a successor', facts(plan(), 'install-2'), 'its Subscription refers to install-2'],
    ['changes something else by now', facts(plan({ manifest: '{"a":1}' })), 'review it again'],
    ['moves from another version', { ...facts(plan()), moves: [] }, 'review it again'],
  ])('is refused with its reason where it %s', (_, found, says) => {
    const decision = decideApproval(found, ACTION);
    expect(decision).toEqual({ end: { outcome: 'changed-meanwhile', message: expect.stringContaining(says) } });
  });

  const worked = (annotations: Record<string, string>) => {
    const found = subscription();
    return { ...found, metadata: { ...found.metadata, annotations } };
  };
  const previous = JSON.stringify({ rollout: 'fleets/lamp-3', attempt: 1, bundle: 'lamp.v1.0.0' });
  const denial = { bundle: 'lamp.v2.0.0', rollout: 'fleets/lamp-3', scope: 'Operator', versions: 'v' };
  it.each([
    ['the fleet has made', { 'fleet.flotilla.dev/operator': 'fleets/lamp' }, 'FleetOperator fleets/lamp,'],
    ['a rollout changes', { 'fleet.flotilla.dev/previous': previous }, 'fleets/lamp (the last here: fleets/lamp-3)'],
    [
      'went back',
      { 'fleet.flotilla.dev/denied': JSON.stringify([denial]) },
      'fleets/lamp (the last here: fleets/lamp-3)',
    ],
    ['has a mark that somebody has spoilt', { 'fleet.flotilla.dev/denied': '{' }, 'decided by rollouts of the fleet,'],
  ])('is refused for a Subscription that %s: its rollout decides', (_, annotations, says) => {
    const found = { ...facts(plan()), subscriptions: [worked(annotations)] };
    const message = expect.stringContaining(says);
    expect(decideApproval(found, ACTION)).toEqual({ end: { outcome: 'refused', message } });
  });

  it('is refused where orders of the hub are about the package, marked or not, and where another one moves with it', () => {
    const ordered = [{ package: 'lamp', operator: 'fleets/lamp', rollout: 'fleets/lamp-4' }];
    const end = { outcome: 'refused', message: expect.stringContaining('fleets/lamp-4') };
    expect(decideApproval({ ...facts(plan()), ordered }, ACTION)).toEqual({ end });
    const neighbour = Subscription.parse({
      ...worked({ 'fleet.flotilla.dev/operator': 'fleets/mill' }),
      metadata: { name: 'mill', namespace: 'lamps', annotations: { 'fleet.flotilla.dev/operator': 'fleets/mill' } },
    });
    const both = { ...facts(plan()), subscriptions: [subscription(), neighbour] };
    expect(decideApproval(both, ACTION)).toMatchObject({ end: { outcome: 'refused' } });
    expect(
      decideApproval({ ...facts(plan()), ordered: [{ ...ordered[0], package: 'mill' }] as never }, ACTION),
    ).toHaveProperty('patch');
  });

  it('is refused without the hash of a review', () => {
    expect(decideApproval(facts(plan()), { ...ACTION, planHash: undefined } as never)).toHaveProperty('end');
  });
});

describe('the retry of a plan', () => {
  it('that failed has it made anew, locked to what was read', () => {
    expect(decidePlanRetry(facts(plan({ phase: 'Failed' })), { planHash: HASH })).toEqual({
      patch: { metadata: { resourceVersion: '7', annotations: { 'flotilla.dev/retry': 'replan' } } },
    });
  });

  it.each([
    ['another one than was shown', plan({ phase: 'Failed', manifest: '{"a":1}' }), 'changed-meanwhile'],
    ['one that has not failed', plan(), 'done'],
    ['one that is gone', undefined, 'done'],
  ])('of %s writes nothing', (_, found, outcome) => {
    expect(decidePlanRetry(facts(found), { planHash: HASH })).toMatchObject({ end: { outcome } });
  });
});
