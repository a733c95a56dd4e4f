import { describe, expect, it } from 'vitest';
import type { InstallPlan } from '../../kernel/api/install-plan.js';
import type { KubernetesObject } from '../../kernel/api/kubernetes-object.js';
import type { Subscription } from '../../kernel/api/subscription.js';
import { gear, installedDeployments } from '../csv/world/csv-world.fixture.js';
import { adoptionLabels, partLabels } from './adoption-labels.js';
import { componentLabel, operatorsLacking } from './component-label.js';
import { untilSettled } from './on-its-way.js';
import { namesParts, operatorObject } from './operator-object.js';

const LABEL = 'operators.coreos.com/gear.mill';
const subscription: Subscription = {
  apiVersion: 'operators.coreos.com/v1alpha1',
  kind: 'Subscription',
  metadata: { name: 'wish', namespace: 'mill' },
  spec: { name: 'gear', source: 'shelf', sourceNamespace: 'mill' },
  status: { installedCSV: 'v1', installPlanRef: { name: 'install-2' } },
};
const plan = (name: string, labels: Record<string, string> = {}): InstallPlan => ({
  apiVersion: 'operators.coreos.com/v1alpha1',
  kind: 'InstallPlan',
  metadata: { name, namespace: 'mill', labels },
  spec: { approval: 'Automatic', approved: true, clusterServiceVersionNames: ['v1'] },
});
const patches = (actions: ReturnType<typeof adoptionLabels>) =>
  actions.flatMap((action) => {
    if (action.do !== 'patch') return [];
    return [`${action.ref.kind}/${action.ref.name} ${JSON.stringify(action.patch).includes('null') ? 'off' : 'on'}`];
  });

describe('the component label', () => {
  it.each([
    { name: 'gear', namespace: 'mill', label: LABEL, because: 'package and namespace' },
    {
      name: 'p'.repeat(60),
      namespace: 'a-b',
      label: `operators.coreos.com/${'p'.repeat(60)}.a`,
      because: 'cut to 63, no dash at its end',
    },
  ])('$because', ({ name, namespace, label }) => {
    expect(componentLabel(name, namespace)).toBe(label);
  });

  it('names the Operators that labels ask for and that are not there', () => {
    const cut = componentLabel('p'.repeat(60), 'a-b');
    expect(operatorsLacking([LABEL, cut, LABEL, 'operators.coreos.com/fan.mill'], [`${'p'.repeat(60)}.a-b`])).toEqual([
      'fan.mill',
      'gear.mill',
    ]);
  });

  it('marks Subscription, CSV, newest plan and what the CSV owns, and leaves older plans', () => {
    const csv = gear('v1');
    const stranger: KubernetesObject = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'x', namespace: 'mill' },
    };
    const actions = adoptionLabels(subscription, {
      csv,
      plans: [plan('install-1', { [LABEL]: '' }), plan('install-2'), plan('install-3')],
      candidates: [...installedDeployments(csv), stranger],
      crds: new Map(),
    });
    expect(patches(actions)).toEqual([
      'Subscription/wish on',
      'InstallPlan/install-2 on',
      'ClusterServiceVersion/v1 on',
      'Deployment/gear on',
      'InstallPlan/install-1 off',
    ]);
  });

  it('stays on plans where a Subscription has none yet: another one of the package put it there', () => {
    const { status: _status, ...fresh } = subscription;
    const actions = adoptionLabels(fresh, {
      csv: undefined,
      plans: [plan('install-1', { [LABEL]: '' })],
      candidates: [],
      crds: new Map(),
    });
    expect(patches(actions)).toEqual(['Subscription/wish on']);
  });

  it('marks what a CSV gets later, whether or not there is a Subscription for it', () => {
    const csv = gear('v1');
    const parts = { candidates: installedDeployments(csv), crds: new Map() };
    expect(patches(partLabels(csv, LABEL, parts))).toEqual(['Deployment/gear on']);
  });

  it('is not written again', () => {
    const labelled = { ...subscription, metadata: { ...subscription.metadata, labels: { [LABEL]: '' } } };
    expect(adoptionLabels(labelled, { csv: undefined, plans: [], candidates: [], crds: new Map() })).toEqual([]);
  });
});

describe('the Operator object', () => {
  const csv = gear('v1', {}, { phase: 'Succeeded', reason: 'InstallSucceeded', message: 'done' });
  const live: KubernetesObject = {
    apiVersion: 'operators.coreos.com/v1',
    kind: 'Operator',
    metadata: { name: 'gear.mill' },
  };

  it('is made as soon as there is a component, and not before', () => {
    expect(operatorObject('gear.mill', [], undefined)).toEqual([]);
    expect(operatorObject('gear.mill', [csv], undefined)).toMatchObject([
      { do: 'create', object: { kind: 'Operator', metadata: { name: 'gear.mill' } } },
    ]);
  });

  it('lists its components in order, a CSV with its phase as a condition, and then rests', () => {
    const [write] = operatorObject('gear.mill', [subscription, ...installedDeployments(csv), csv], live);
    expect(write).toMatchObject({
      do: 'updateStatus',
      object: {
        status: {
          components: {
            labelSelector: { matchExpressions: [{ key: LABEL, operator: 'Exists' }] },
            refs: [
              {
                kind: 'ClusterServiceVersion',
                conditions: [{ type: 'Succeeded', status: 'True', reason: 'InstallSucceeded' }],
              },
              { kind: 'Deployment', name: 'gear', conditions: [{ type: 'Available', status: 'True' }] },
              { kind: 'Subscription', name: 'wish' },
            ],
          },
        },
      },
    });
    const written = write?.do === 'updateStatus' ? write.object : live;
    expect(operatorObject('gear.mill', [csv, subscription, ...installedDeployments(csv)], written)).toEqual([]);
  });

  it('reports whether a Deployment is available, not that it once was rolled out', () => {
    const conditions = [
      { type: 'Progressing', status: 'True', reason: 'NewReplicaSetAvailable' },
      { type: 'Available', status: 'False', reason: 'MinimumReplicasUnavailable' },
    ];
    const rolledOut = installedDeployments(csv).map((deployment) => ({ ...deployment, status: { conditions } }));
    expect(operatorObject('gear.mill', rolledOut, live)).toMatchObject([
      { object: { status: { components: { refs: [{ conditions: [conditions[1]] }] } } } },
    ]);
  });

  it.each([
    { kinds: ['Subscription', 'InstallPlan'], parts: false },
    { kinds: ['CustomResourceDefinition', 'Subscription'], parts: true },
  ])('names parts of an operator or none: $kinds', ({ kinds, parts }) => {
    const refs = kinds.map((kind) => ({ apiVersion: 'v1', kind, name: 'x' }));
    expect(namesParts({ ...live, status: { components: { refs } } })).toBe(parts);
  });

  it('stays when all its parts are gone, and says that there are none', () => {
    expect(operatorObject('gear.mill', [], live)).toMatchObject([
      { do: 'updateStatus', object: { status: { components: { refs: [] } } } },
    ]);
  });
});

describe('the status of an Operator', () => {
  const NOW = new Date('2026-01-01T00:00:10.500Z');
  const csv = (phase: string | undefined, lastTransitionTime?: string) => ({
    apiVersion: 'operators.coreos.com/v1alpha1',
    kind: 'ClusterServiceVersion',
    metadata: { name: 'gear.v1' },
    status: { phase, lastTransitionTime },
  });
  const ago = (seconds: number) => `2026-01-01T00:00:${String(10 - seconds).padStart(2, '0')}Z`;

  it.each([
    { parts: [csv('Installing', ago(0))], ms: 1_500, because: 'it came to its phase half a second ago' },
    { parts: [csv('Installing', ago(2))], ms: undefined, because: 'it stays there' },
    { parts: [csv('Succeeded', ago(0))], ms: undefined, because: 'it is at its end' },
    { parts: [csv('Failed', ago(0))], ms: undefined, because: 'it failed' },
    { parts: [csv('Replacing', ago(1)), csv('Pending', ago(0))], ms: 1_500, because: 'the youngest counts' },
    { parts: [csv('Deleting', ago(-5))], ms: undefined, because: 'the clock that wrote it is ahead' },
    { parts: [csv('Pending'), csv(undefined)], ms: undefined, because: 'no time is known' },
    { parts: [{ ...csv('Installing', ago(0)), kind: 'Deployment' }], ms: undefined, because: 'it is no CSV' },
  ])('waits for $ms ms: $because', ({ parts, ms }) => {
    expect(untilSettled(parts, NOW)).toBe(ms);
  });
});
