import { expect, it } from 'vitest';
import type { FleetClusterStatus } from './cluster-conditions.js';
import { withMissingRights } from './cluster-permissions.js';

const [T0, T1] = ['2026-01-05T00:00:00Z', '2026-01-05T00:01:00Z'];
const reachable = {
  type: 'Reachable',
  status: 'True',
  reason: 'Answering',
  message: '',
  lastTransitionTime: T0,
} as const;
const before: FleetClusterStatus = { uid: 'u-1', conditions: [reachable] };
const ofPermissions = ({ conditions = [] }: FleetClusterStatus) =>
  conditions.find(({ type }) => type === 'PermissionsSufficient');

it('both services have all rights: the condition says so, once', () => {
  const one = withMissingRights(before, 'poller', [], T0);
  const both = withMissingRights(one, 'applier', [], T1);
  const condition = { type: 'PermissionsSufficient', status: 'True', reason: 'AllGranted', message: '' };
  expect(both).toEqual({
    uid: 'u-1',
    missingRights: { poller: [], applier: [] },
    conditions: [{ ...condition, lastTransitionTime: T0 }, reachable],
  });
  expect(withMissingRights(both, 'applier', [], T1)).toBe(both);
});

it('names everything that each service lacks, and changes its words without a transition', () => {
  const one = withMissingRights(before, 'poller', ['get, list nodes', 'get secrets'], T0);
  const both = withMissingRights(one, 'applier', ['* *.*'], T1);
  expect(ofPermissions(both)).toMatchObject({
    ...{ status: 'False', reason: 'RulesMissing', lastTransitionTime: T0 },
    message: 'the poller is missing get, list nodes; get secrets. the applier is missing * *.*',
  });
  const granted = withMissingRights(both, 'applier', [], T1);
  expect(ofPermissions(granted)?.message).toBe('the poller is missing get, list nodes; get secrets');
  expect(ofPermissions(withMissingRights(granted, 'poller', [], T1))).toMatchObject({
    ...{ status: 'True', lastTransitionTime: T1 },
  });
});

it('nothing is needed where the hub only observes: without a service that asks there is no condition', () => {
  const lacking = withMissingRights(before, 'applier', ['* *.*'], T0);
  const observed = withMissingRights(lacking, 'applier', undefined, T1);
  expect(observed).toEqual({ ...before, missingRights: {} });
  expect(withMissingRights(before, 'applier', undefined, T1)).toBe(before);
});
