import { describe, expect, it } from 'vitest';
import { ClusterServiceVersion } from '../../kernel/api/cluster-service-version.js';
import { OperatorGroup } from '../../kernel/api/operator-group.js';
import { Subscription } from '../../kernel/api/subscription.js';
import { isNamespaceAtRest } from './namespace-at-rest.js';

const metadata = (name: string) => ({ name, namespace: 'sea' });
const group = OperatorGroup.parse({
  apiVersion: 'operators.coreos.com/v1',
  kind: 'OperatorGroup',
  metadata: metadata('own'),
});
const csv = (name: string, phase: string | undefined, rest: { spec?: object; labels?: Record<string, string> } = {}) =>
  ClusterServiceVersion.parse({
    apiVersion: 'operators.coreos.com/v1alpha1',
    kind: 'ClusterServiceVersion',
    metadata: { ...metadata(name), labels: rest.labels ?? {} },
    spec: rest.spec ?? {},
    ...(phase === undefined ? {} : { status: { phase } }),
  });
const subscription = (status: object | undefined) =>
  Subscription.parse({
    apiVersion: 'operators.coreos.com/v1alpha1',
    kind: 'Subscription',
    metadata: metadata('harbor'),
    spec: { name: 'harbor', source: 'all', sourceNamespace: 'olm' },
    ...(status === undefined ? {} : { status }),
  });
const SATISFIED = { state: 'AtLatestKnown', currentCSV: 'harbor.v1', installedCSV: 'harbor.v1' };
const REST = {
  subscriptions: [subscription(SATISFIED)],
  operatorGroups: [group],
  csvs: [csv('harbor.v1', 'Succeeded')],
};
const FAILS = { type: 'ResolutionFailed', status: 'True', reason: 'ConstraintsNotSatisfiable' };

describe('a namespace', () => {
  it('is at rest where every Subscription has what it asks for, and every CSV has Succeeded', () => {
    expect(isNamespaceAtRest(REST)).toBe(true);
    const copy = csv('lamp.v1', undefined, { labels: { 'olm.copiedFrom': 'lamps' } });
    expect(isNamespaceAtRest({ ...REST, csvs: [...REST.csvs, copy] })).toBe(true);
  });

  it.for([
    ['no Subscription', { subscriptions: [] }],
    ['a new Subscription', { subscriptions: [subscription(undefined)] }],
    ['an upgrade to be approved', { subscriptions: [subscription({ ...SATISFIED, state: 'UpgradePending' })] }],
    ['an upgrade under way', { subscriptions: [subscription({ ...SATISFIED, currentCSV: 'harbor.v2' })] }],
    ['a failed resolution', { subscriptions: [subscription({ ...SATISFIED, conditions: [FAILS] })] }],
    ['no OperatorGroup', { operatorGroups: [] }],
    ['two OperatorGroups', { operatorGroups: [group, group] }],
    ['a CSV that is gone', { csvs: [] }],
    ['a CSV that failed', { csvs: [csv('harbor.v1', 'Failed')] }],
    ['a CSV that no pass has seen', { csvs: [...REST.csvs, csv('lamp.v1', undefined)] }],
    [
      'a CSV that is replaced',
      { csvs: [...REST.csvs, csv('harbor.v2', 'Succeeded', { spec: { replaces: 'harbor.v1' } })] },
    ],
  ] as const)('is not at rest with %s', ([, other]) => {
    expect(isNamespaceAtRest({ ...REST, ...other })).toBe(false);
  });
});
