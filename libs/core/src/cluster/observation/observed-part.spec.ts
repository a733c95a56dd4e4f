import { describe, expect, it } from 'vitest';
import { desiredNamespaceOf } from '../../classic/resolution/problem/desired-namespace.js';
import { needsResolution } from '../../classic/subscription/bookkeep-subscription.js';
import type { ClusterServiceVersion } from '../../kernel/api/cluster-service-version.js';
import type { KubernetesObject } from '../../kernel/api/kubernetes-object.js';
import { OperatorGroup } from '../../kernel/api/operator-group.js';
import { Subscription } from '../../kernel/api/subscription.js';
import { heldBytes } from '../../kernel/read-budget/held-bytes.js';
import { observedCsv, observedNames, observedOperatorGroup, observedSubscription } from './observed-part.js';

const LARGE = 'x'.repeat(20_000);
const metadata = (name: string) => ({
  name,
  namespace: 'harbour',
  uid: 'c0ffee',
  resourceVersion: '17',
  generation: 3,
  labels: { 'olm.managed': 'true', 'olm.owner.namespace': 'sea', other: 'label' },
  managedFields: [{ manager: 'kubectl', fieldsV1: LARGE }],
});
const csv = (annotations: Record<string, string>) => ({
  apiVersion: 'operators.coreos.com/v1alpha1',
  kind: 'ClusterServiceVersion',
  metadata: { ...metadata('etcd.v1'), annotations: { ...annotations, 'alm-examples': LARGE } },
  spec: {
    version: '1.0.0',
    replaces: 'etcd.v0',
    description: LARGE,
    icon: [{ base64data: LARGE }],
    install: { strategy: 'deployment', spec: { deployments: [{ name: LARGE }] } },
    customresourcedefinitions: {
      owned: [{ name: 'etcds.example.com', version: 'v1', kind: 'Etcd', description: LARGE }],
      required: [{ name: 'backups.example.com', version: 'v1', kind: 'Backup', specDescriptors: [{ path: LARGE }] }],
    },
    apiservicedefinitions: {
      owned: [{ name: 'flows', group: 'flow.example.com', version: 'v1', kind: 'Flow', deploymentName: 'web' }],
    },
    webhookdefinitions: [{ type: 'ValidatingAdmissionWebhook', deploymentName: 'hook', rules: [LARGE] }],
  },
  status: { phase: 'Pending', reason: 'RequirementsNotMet', conditions: [{ message: LARGE }], requirementStatus: [] },
});
const subscription = (status: object | undefined) => ({
  apiVersion: 'operators.coreos.com/v1alpha1',
  kind: 'Subscription',
  metadata: { ...metadata('etcd'), annotations: { 'kubectl.kubernetes.io/last-applied-configuration': LARGE } },
  spec: { name: 'etcd', channel: 'stable', source: 'all', sourceNamespace: 'olm', config: { env: [{ name: LARGE }] } },
  ...(status === undefined ? {} : { status }),
});
const group = {
  apiVersion: 'operators.coreos.com/v1',
  kind: 'OperatorGroup',
  metadata: {
    ...metadata('own'),
    annotations: {
      'kubectl.kubernetes.io/last-applied-configuration': LARGE,
      'flotilla.dev/resolution-isolation': 'true',
    },
  },
  spec: { targetNamespaces: ['harbour'], upgradeStrategy: 'TechPreviewUnsafeFailForward', serviceAccountName: 'a' },
  status: { namespaces: ['harbour'], lastUpdated: LARGE },
};
const PLAN = { name: 'install-abcde', namespace: 'harbour' };
const planned = { state: 'UpgradePending', installedCSV: 'etcd.v1', currentCSV: 'etcd.v2', installPlanRef: PLAN };

describe('what is kept of an observed object', () => {
  it.each<{ of: string; annotations: Record<string, string> }>([
    { of: 'the APIs of the spec', annotations: {} },
    { of: 'its properties', annotations: { 'operatorframework.io/properties': '{"properties":[]}' } },
    { of: 'the namespace of its operator', annotations: { 'olm.operatorNamespace': 'sea' } },
  ])('asks the same question of resolution: a CSV with $of', ({ annotations }) => {
    const observed = (whole: boolean) =>
      desiredNamespaceOf({
        namespace: 'harbour',
        globalCatalogNamespace: 'olm',
        // What the poller keeps lacks fields that the type requires, and resolution reads none of them.
        csvs: [(whole ? csv(annotations) : observedCsv(csv(annotations))) as unknown as ClusterServiceVersion],
        subscriptions: [
          Subscription.parse(whole ? subscription(planned) : observedSubscription(subscription(planned))),
        ],
        operatorGroups: [OperatorGroup.parse(whole ? group : observedOperatorGroup(group))],
      });
    expect(observed(false)).toEqual(observed(true));
  });

  it.each([undefined, {}, planned, { ...planned, state: 'AtLatestKnown' }])(
    'says the same about plans under way: a Subscription with status %j',
    (status) => {
      const whole = Subscription.parse(subscription(status));
      const kept = Subscription.parse(observedSubscription(subscription(status)));
      expect(needsResolution([kept])).toBe(needsResolution([whole]));
      expect(kept.status === undefined).toBe(whole.status === undefined);
    },
  );

  it('is little, whatever else the object holds', () => {
    for (const kept of [
      observedCsv(csv({})),
      observedSubscription(subscription(planned)),
      observedOperatorGroup(group),
      observedNames(csv({})),
    ]) {
      expect(heldBytes(kept)).toBeLessThan(4_000);
      expect(JSON.stringify(kept)).not.toContain('xxx');
    }
  });

  it('names the object, its version and the namespaces that it concerns', () => {
    expect(observedNames(csv({}))).toEqual({
      apiVersion: 'operators.coreos.com/v1alpha1',
      kind: 'ClusterServiceVersion',
      metadata: {
        name: 'etcd.v1',
        namespace: 'harbour',
        resourceVersion: '17',
        labels: { 'olm.owner.namespace': 'sea' },
      },
    });
  });

  it('keeps of a Subscription that it cannot be resolved, and no other condition', () => {
    const failed = { type: 'ResolutionFailed', status: 'True', reason: 'ConstraintsNotSatisfiable', message: 'xxx' };
    const conditions = [failed, { type: 'CatalogSourcesUnhealthy', status: 'False' }];
    expect(observedSubscription(subscription({ conditions }))).toMatchObject({
      status: { conditions: [{ type: 'ResolutionFailed', status: 'True', reason: 'ConstraintsNotSatisfiable' }] },
    });
    const resolved = observedSubscription(subscription({ conditions: [{ ...failed, status: 'False' }] }));
    expect(resolved['status']).toEqual({});
  });

  it('keeps of a CRD which Operators gather it', () => {
    const metadata = {
      name: 'lamps.example.com',
      resourceVersion: '17',
      labels: { 'operators.coreos.com/lamp.sea': '', team: 'lights' },
    };
    expect(observedNames({ apiVersion: 'v1', kind: 'CustomResourceDefinition', metadata, spec: {} }).metadata).toEqual({
      name: 'lamps.example.com',
      resourceVersion: '17',
      labels: { 'operators.coreos.com/lamp.sea': '' },
    });
  });

  it('keeps the labels of Operators that another namespace keeps, but not of a copy', () => {
    const labels = Object.fromEntries(
      ['mine', 'lamp.harbour', 'lamp.sea', 'lamp.far', 'dock.yard.far'].map((name) => [
        `operators.coreos.com/${name}`,
        '',
      ]),
    );
    const kept = (object: KubernetesObject) => Object.keys(object.metadata.labels ?? {}).sort();
    const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { ...metadata('a'), labels } };
    expect(kept(observedNames(account))).toEqual(
      ['dock.yard.far', 'lamp.far', 'lamp.sea', 'mine'].map((name) => `operators.coreos.com/${name}`),
    );
    const owned = {
      ...account,
      metadata: { ...account.metadata, labels: { ...labels, 'olm.owner.namespace': 'sea' } },
    };
    expect(kept(observedNames(owned))).not.toContain('operators.coreos.com/lamp.sea');
    const copy = csv({});
    const copied = { ...copy.metadata, labels: { ...labels, 'olm.copiedFrom': 'sea' } };
    expect(kept(observedCsv({ ...copy, metadata: copied }))).toEqual(['olm.copiedFrom']);
  });

  it('keeps what is malformed for those who refuse it', () => {
    const odd = { ...csv({}), spec: { customresourcedefinitions: { owned: 'all' }, webhookdefinitions: [7] } };
    expect(observedCsv(odd)).toMatchObject({
      spec: { customresourcedefinitions: { owned: 'all' }, webhookdefinitions: [7] },
    });
  });
});
