import { describe, expect, it } from 'vitest';
import { type ClusterServiceVersion, CSV_API, type CsvStatus } from '../../kernel/api/cluster-service-version.js';
import { INSTALL_PLAN_API, type InstallPlan } from '../../kernel/api/install-plan.js';
import { SUBSCRIPTION_API, type Subscription, type SubscriptionStatus } from '../../kernel/api/subscription.js';
import { lostPlans, replanLost, waitsForPlan } from './replan-lost.js';

const NOW = '2026-01-01T00:00:00Z';
const unmet = (kind: string, status = 'NotPresent') => ({
  group: '',
  version: 'v1',
  kind,
  name: 'x',
  status,
  message: '',
});
const WAITING: CsvStatus = {
  phase: 'Pending',
  reason: 'RequirementsNotMet',
  message: 'one or more requirements could not be found',
  requirementStatus: [unmet('ServiceAccount')],
};
const entry = (phase: string) => ({ phase, reason: '', message: '' });
const csv = (name: string, status: CsvStatus = WAITING, replaces?: string): ClusterServiceVersion => ({
  ...CSV_API,
  metadata: { name, namespace: 'team', uid: `uid-of-${name}` },
  spec: replaces === undefined ? {} : { replaces },
  status,
});
const subscription = (name: string, status: SubscriptionStatus): Subscription => ({
  ...SUBSCRIPTION_API,
  metadata: { name, namespace: 'team', uid: `uid-of-${name}` },
  spec: { name, source: 's', sourceNamespace: 'olm' },
  status,
});
const refers = (currentCSV: string, more: SubscriptionStatus = {}): SubscriptionStatus => ({
  ...{ currentCSV, installedCSV: currentCSV, state: 'AtLatestKnown', installPlanRef: { name: 'install-1' } },
  ...more,
});
const plan = (name: string, ...csvs: string[]): InstallPlan => ({
  ...INSTALL_PLAN_API,
  metadata: { name, namespace: 'team' },
  spec: { approval: 'Automatic', approved: true, clusterServiceVersionNames: csvs },
});

describe('a ClusterServiceVersion that waits for what InstallPlans bring', () => {
  it.each<[what: string, status: CsvStatus, waits: boolean]>([
    ['lacks its service account', WAITING, true],
    ['lacks rights', { ...WAITING, requirementStatus: [unmet('ServiceAccount', 'PresentNotSatisfied')] }, true],
    ['lacks a CRD', { ...WAITING, requirementStatus: [unmet('CustomResourceDefinition')] }, true],
    ['was Pending for other reasons before', { ...WAITING, conditions: [entry('Pending'), entry('Failed')] }, true],
    ['lacks a newer Kubernetes', { ...WAITING, requirementStatus: [unmet('ClusterServiceVersion')] }, false],
    ['lacks an API of the cluster', { ...WAITING, requirementStatus: [unmet('APIService'), unmet('Sail')] }, false],
    ['has all', { ...WAITING, requirementStatus: [unmet('ServiceAccount', 'Present')] }, false],
    ['was installed before', { ...WAITING, conditions: [entry('InstallReady'), entry('Pending')] }, false],
    ['was ready once, of which the beginning is forgotten', { ...WAITING, conditions: [entry('Succeeded')] }, false],
    ['is held back by an OperatorCondition', { ...WAITING, reason: 'OperatorConditionNotUpgradeable' }, false],
    ['failed', { ...WAITING, phase: 'Failed' }, false],
    ['is a copy', { ...WAITING, reason: 'Copied' }, false],
  ])('%s', (_what, status, waits) => {
    expect(waitsForPlan(csv('mill.v1', status))).toBe(waits);
  });
});

describe('a plan that was deleted while its ClusterServiceVersion waits', () => {
  it.each<[what: string, status: SubscriptionStatus, plans: InstallPlan[], found: string[]]>([
    ['is lost', refers('mill.v1'), [], ['install-1']],
    ['is lost beside others', refers('mill.v1'), [plan('install-2', 'gear.v1')], ['install-1']],
    ['is not, while it is there', refers('mill.v1'), [plan('install-1', 'mill.v1')], []],
    ['is not, where another plan brings the same', refers('mill.v1'), [plan('install-2', 'mill.v1')], []],
    ['is not, where none was referred to', { currentCSV: 'mill.v1' }, [], []],
    ['is not, where the Subscription is at another version', refers('mill.v0'), [], []],
  ])('%s', (_what, status, plans, found) => {
    const lost = lostPlans([subscription('mill', status)], { csvs: [csv('mill.v1')], plans });
    expect(lost.map((one) => one.plan)).toEqual(found);
  });

  const taken = (status: SubscriptionStatus, csvs: readonly ClusterServiceVersion[], deployments: object[] = []) => {
    const lost = lostPlans([subscription('mill', status)], { csvs, plans: [] });
    const made = deployments.map((labels) => ({
      ...{ apiVersion: 'apps/v1', kind: 'Deployment' },
      metadata: { name: 'mill', labels: labels as Record<string, string> },
    }));
    return replanLost(lost, { csvs, deployments: made }, NOW);
  };

  it('takes an upgrade back to what runs: the version that waits goes, then the Subscription names the old one', () => {
    const conditions = [{ type: 'InstallPlanMissing', status: 'True' }];
    const csvs = [csv('mill.v1', { ...WAITING, phase: 'Replacing' }), csv('mill.v2', WAITING, 'mill.v1')];
    const { deletions, changes } = taken(refers('mill.v2', { conditions }), csvs);
    expect(deletions).toEqual([
      {
        do: 'emitEvent',
        about: { ...SUBSCRIPTION_API, name: 'mill', namespace: 'team', uid: 'uid-of-mill' },
        type: 'Warning',
        reason: 'InstallPlanMissing',
        message:
          'InstallPlan install-1 is gone, and ClusterServiceVersion mill.v2 waits for its objects: the namespace is resolved again, and another plan is created',
      },
      {
        do: 'delete',
        ref: { ...CSV_API, name: 'mill.v2', namespace: 'team' },
        propagation: 'Background',
        uid: 'uid-of-mill.v2',
      },
    ]);
    expect(changes.map(({ status }) => status)).toEqual([
      {
        ...{ currentCSV: 'mill.v1', installedCSV: 'mill.v1', state: 'AtLatestKnown' },
        conditions: [],
        lastUpdated: NOW,
      },
    ]);
  });

  it('takes a first install back to nothing', () => {
    const { changes } = taken(refers('mill.v1'), [csv('mill.v1')]);
    expect(changes.map(({ status }) => status)).toEqual([{ lastUpdated: NOW }]);
  });

  it('leaves a version that has a Deployment', () => {
    expect(taken(refers('mill.v1'), [csv('mill.v1')], [{ 'olm.owner': 'mill.v1' }])).toEqual({
      deletions: [],
      changes: [],
    });
    expect(taken(refers('mill.v1'), [csv('mill.v1')], [{ 'olm.owner': 'mill.v0' }]).changes).toHaveLength(1);
  });
});
