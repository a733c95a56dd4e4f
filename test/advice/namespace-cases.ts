import { expect } from 'vitest';
import { allButOldest } from '#core/cluster/diagnosis/diagnose-groups';
import type { OperatorGroup } from '#core/kernel/api/operator-group';
import { madeCrd } from '../integration/applier-support/made-operator.js';
import * as fixture from '../story/bad-input-fixture.js';
import { type AdviceCase, until } from './advice-bench.js';

const V1ALPHA1 = 'operators.coreos.com/v1alpha1';
const GROUP = { apiVersion: 'operators.coreos.com/v1', kind: 'OperatorGroup', name: 'own' } as const;
const V1 = [{ version: '1.0.0', objects: [] }];
const MULTI = [
  { type: 'OwnNamespace', supported: true },
  { type: 'MultiNamespace', supported: true },
];
const done = (namespace: string) => `${namespace}.v1.0.0 Succeeded`;
const about = (namespace: string) => [namespace, 'subscription', namespace] as const;

/** Advice of `explain` about OperatorGroups, Subscriptions and InstallPlans. */
export const NAMESPACE_CASES = {
  'no-group': {
    carries: ['createGroup'],
    play: async (bench, namespace) => {
      await fixture.createNamespace(bench.client, namespace, []);
      await bench.publish(namespace, namespace, V1);
      await fixture.subscribe(bench.client, namespace, namespace);
      await bench.advised(about(namespace), 'createGroup', namespace);
      await fixture.createNamespace(bench.client, namespace);
      await bench.runs(namespace, done(namespace));
    },
  },
  'two-groups': {
    carries: ['keepOneGroup'],
    play: async (bench, namespace) => {
      await fixture.createNamespace(bench.client, namespace, ['own', 'other']);
      await bench.publish(namespace, namespace, V1);
      await fixture.subscribe(bench.client, namespace, namespace);
      const groups = (await bench.client.list<OperatorGroup>(GROUP, { namespace }))?.items ?? [];
      const line = await bench.advised(about(namespace), 'keepOneGroup', namespace, allButOldest(groups));
      await bench.done(line);
      await bench.runs(namespace, done(namespace));
    },
  },
  'global-catalogs-excluded': {
    carries: ['seeGlobalCatalogs'],
    play: async (bench, namespace) => {
      await fixture.createNamespace(bench.client, namespace);
      const annotations = { 'olm.operatorframework.io/exclude-global-namespace-resolution': 'true' };
      await bench.client.patch({ ...GROUP, namespace }, { metadata: { annotations } });
      const image = await bench.catalog(namespace, V1);
      await fixture.createCatalog(bench.client, 'olm', { image }, namespace);
      await fixture.subscribe(bench.client, namespace, namespace, { name: namespace, namespace: 'olm' });
      await bench.done(await bench.advised(about(namespace), 'seeGlobalCatalogs', namespace, 'own'));
      await bench.runs(namespace, done(namespace));
    },
  },
  'scoped-group': {
    carries: ['createServiceAccount', 'giveRights'],
    play: async (bench, namespace) => {
      await fixture.createNamespace(bench.client, namespace);
      await bench.client.patch({ ...GROUP, namespace }, { spec: { serviceAccountName: 'scoped' } });
      await bench.publish(namespace, namespace, V1);
      await fixture.subscribe(bench.client, namespace, namespace);
      await bench.done(await bench.advised(about(namespace), 'createServiceAccount', namespace, 'scoped'));
      await bench.advised(about(namespace), 'giveRights', `${namespace}/scoped`);
      const rbac = 'rbac.authorization.k8s.io/v1';
      await bench.client.create({
        apiVersion: rbac,
        kind: 'RoleBinding',
        metadata: { name: 'scoped', namespace },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'scoped' },
        subjects: [{ kind: 'ServiceAccount', name: 'scoped', namespace }],
      });
      await bench.client.create({
        apiVersion: rbac,
        kind: 'Role',
        metadata: { name: 'scoped', namespace },
        rules: [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }],
      });
      await bench.runs(namespace, done(namespace));
    },
  },
  manual: {
    carries: ['approve'],
    play: async (bench, namespace) => {
      await fixture.createNamespace(bench.client, namespace);
      await bench.publish(namespace, namespace, V1);
      await bench.client.create({
        apiVersion: V1ALPHA1,
        kind: 'Subscription',
        metadata: { name: namespace, namespace },
        spec: {
          ...{ name: namespace, channel: 'stable', source: 'shelf', sourceNamespace: namespace },
          installPlanApproval: 'Manual',
        },
      });
      const plan = await bench.plan(namespace, 'RequiresApproval');
      await bench.done(await bench.advised(about(namespace), 'approve', namespace, plan));
      await bench.runs(namespace, done(namespace));
    },
  },
  'neighbour-manual': {
    carries: ['isolateSubscriptions', 'planApart'],
    play: async (bench, namespace) => {
      const other = `${namespace}-other`;
      await fixture.createNamespace(bench.client, namespace);
      await bench.publish(namespace, namespace, V1);
      await fixture.createCatalog(bench.client, namespace, { image: await bench.catalog(other, V1) }, 'second');
      const subscribe = (name: string, source: string, installPlanApproval: string) =>
        bench.client.create({
          ...{ apiVersion: V1ALPHA1, kind: 'Subscription', metadata: { name, namespace } },
          spec: { name, channel: 'stable', source, sourceNamespace: namespace, installPlanApproval },
        });
      await subscribe(other, 'second', 'Manual');
      await subscribe(namespace, 'shelf', 'Automatic');
      const about = [namespace, 'subscription', namespace] as const;
      const isolate = await bench.advised(about, 'isolateSubscriptions', namespace, 'own');
      const plan = await bench.plan(namespace, 'RequiresApproval');
      const apart = await bench.advised(about, 'planApart', namespace, plan);
      await bench.done(isolate);
      await bench.done(apart);
      await bench.runs(namespace, done(namespace));
    },
  },
  'left-by-fleet': {
    carries: ['approve', 'takeFromFleet'],
    play: async (bench, namespace) => {
      await fixture.createNamespace(bench.client, namespace);
      await bench.publish(namespace, namespace, V1);
      await bench.client.create({
        apiVersion: V1ALPHA1,
        kind: 'Subscription',
        metadata: { name: namespace, namespace, annotations: { 'fleet.flotilla.dev/operator': 'fleets/gone' } },
        spec: {
          ...{ name: namespace, channel: 'stable', source: 'shelf', sourceNamespace: namespace },
          installPlanApproval: 'Manual',
        },
      });
      const plan = await bench.plan(namespace, 'RequiresApproval');
      await bench.done(await bench.advised(about(namespace), 'takeFromFleet', namespace, namespace));
      await bench.done(await bench.advised(about(namespace), 'approve', namespace, plan));
      await bench.runs(namespace, done(namespace));
    },
  },
  'csv-deleted': {
    carries: ['installAgain', 'subscribeAnew'],
    play: async (bench, namespace) => {
      await bench.subscribed(namespace, V1);
      await bench.runs(namespace, done(namespace));
      const csv = { apiVersion: V1ALPHA1, kind: 'ClusterServiceVersion', name: `${namespace}.v1.0.0`, namespace };
      await bench.client.delete(csv);
      const plan = await bench.plan(namespace, 'Complete');
      await bench.done(await bench.advised(about(namespace), 'installAgain', namespace, plan));
      await bench.runs(namespace, done(namespace));
      const again = await bench.plan(namespace, 'Complete');
      await bench.client.delete(csv);
      // The hub has seen that the CSV is gone before the plan goes, too.
      await bench.advised(about(namespace), 'installAgain', namespace, again);
      await bench.client.delete({ apiVersion: V1ALPHA1, kind: 'InstallPlan', name: again, namespace });
      await bench.advised(about(namespace), 'subscribeAnew');
      await bench.client.delete({ apiVersion: V1ALPHA1, kind: 'Subscription', name: namespace, namespace });
      await fixture.subscribe(bench.client, namespace, namespace);
      await bench.runs(namespace, done(namespace));
    },
  },
  'beside-copy': {
    carries: ['replaceCopies', 'narrowOriginalGroup', 'replanOverCopy', 'dropSubscription'],
    play: async (bench, namespace) => {
      const home = `${namespace}-home`;
      const crd = madeCrd({ kind: 'Oar', group: `${namespace}.example.com` }, [{ name: 'v1', storage: true }]);
      const versions = [{ version: '1.0.0', objects: [crd], spec: { installModes: MULTI } }];
      await fixture.createNamespace(bench.client, namespace);
      await fixture.createNamespace(bench.client, home);
      const targets = (names: string[]) =>
        bench.client.patch({ ...GROUP, namespace: home }, { spec: { targetNamespaces: names } });
      await targets([home, namespace]);
      await bench.publish(home, namespace, versions);
      await fixture.subscribe(bench.client, home, namespace);
      await bench.runs(home, done(namespace));
      await bench.runs(namespace, done(namespace));
      await bench.publish(namespace, namespace, versions);
      await fixture.subscribe(bench.client, namespace, namespace);
      const plan = await bench.plan(namespace, 'Complete');
      const subject = about(namespace);
      const annotate = await bench.advised(subject, 'replaceCopies', namespace, 'own');
      await bench.advised(subject, 'narrowOriginalGroup', home);
      await bench.advised(subject, 'replanOverCopy', namespace, plan);
      const drop = await bench.advised(subject, 'dropSubscription', namespace, namespace);
      await bench.done(drop);
      await bench.runs(namespace, done(namespace));
      await fixture.subscribe(bench.client, namespace, namespace);
      const subscription = { apiVersion: V1ALPHA1, kind: 'Subscription', name: namespace, namespace };
      const referenced = async () => Object((await bench.client.get(subscription))?.['status']).installPlanRef?.name;
      await until(referenced, expect.any(String));
      const again = await bench.advised(subject, 'replanOverCopy', namespace, await referenced());
      await targets([home]);
      await bench.done(annotate);
      await bench.done(again);
      const csv = { apiVersion: V1ALPHA1, kind: 'ClusterServiceVersion', name: `${namespace}.v1.0.0`, namespace };
      await until(async () => (await bench.client.get(csv))?.metadata.labels?.['olm.copiedFrom'] ?? 'own', 'own');
      await bench.runs(namespace, done(namespace));
      await bench.runs(home, done(namespace));
    },
  },
  'copy-without-plan': {
    carries: ['replaceCopies', 'narrowOriginalGroup', 'subscribeAfterCopy', 'dropSubscription'],
    play: async (bench, namespace) => {
      const home = `${namespace}-home`;
      const versions = [{ version: '1.0.0', objects: [], spec: { installModes: MULTI } }];
      await fixture.createNamespace(bench.client, namespace);
      await fixture.createNamespace(bench.client, home);
      const targetNamespaces = [home, namespace];
      await bench.client.patch({ ...GROUP, namespace: home }, { spec: { targetNamespaces } });
      await bench.publish(home, namespace, versions);
      await fixture.subscribe(bench.client, home, namespace);
      await bench.runs(namespace, done(namespace));
      await bench.publish(namespace, namespace, versions);
      await fixture.subscribe(bench.client, namespace, namespace);
      const name = await bench.plan(namespace, 'Complete');
      const subject = about(namespace);
      const annotate = await bench.advised(subject, 'replaceCopies', namespace, 'own');
      await bench.advised(subject, 'narrowOriginalGroup', home);
      await bench.client.delete({ apiVersion: V1ALPHA1, kind: 'InstallPlan', name, namespace });
      await bench.advised(subject, 'subscribeAfterCopy');
      // Once the group is narrowed the copy goes, and the advice with it.
      const drop = await bench.advised(subject, 'dropSubscription', namespace, namespace);
      await bench.client.patch({ ...GROUP, namespace: home }, { spec: { targetNamespaces: [home] } });
      await bench.done(annotate);
      await bench.done(drop);
      await fixture.subscribe(bench.client, namespace, namespace);
      const csv = { apiVersion: V1ALPHA1, kind: 'ClusterServiceVersion', name: `${namespace}.v1.0.0`, namespace };
      const origin = async () => {
        const found = await bench.client.get(csv);
        return found === undefined ? 'absent' : (found.metadata.labels?.['olm.copiedFrom'] ?? 'own');
      };
      await until(origin, 'own');
      await bench.runs(namespace, done(namespace));
    },
  },
  'no-such-channel': {
    carries: ['explainSubscription', 'setChannel'],
    play: async (bench, namespace) => {
      const subscription = { apiVersion: V1ALPHA1, kind: 'Subscription' };
      const metadata = { name: namespace, namespace };
      await fixture.createNamespace(bench.client, namespace);
      await bench.publish(namespace, namespace, V1);
      const spec = { name: namespace, channel: 'fast', source: 'shelf', sourceNamespace: namespace };
      await bench.client.create({ ...subscription, metadata, spec });
      const line = await bench.advisedByStatus(namespace, 'explainSubscription', namespace, namespace);
      const { exit, out } = await bench.follow(line);
      expect({ exit, out }).toMatchObject({ exit: 1, out: expect.stringMatching(/channel "?fast"?/) });
      await bench.done(await bench.advised(about(namespace), 'setChannel', metadata, namespace, 'stable'));
      await bench.runs(namespace, done(namespace));
    },
  },
  'tightened-crd': {
    carries: ['retryPlan', 'correctObject'],
    play: async (bench, namespace) => {
      const group = `${namespace}.example.com`;
      const sized = (maximum: object) =>
        madeCrd({ kind: 'Bolt', group }, [
          { name: 'v1', storage: true, properties: { size: { type: 'integer', ...maximum } } },
        ]);
      const first = { version: '1.0.0', objects: [sized({})] };
      await bench.subscribed(namespace, [first]);
      await bench.runs(namespace, done(namespace));
      const big = { apiVersion: `${group}/v1`, kind: 'Bolt', metadata: { name: 'big', namespace } };
      await bench.client.create({ ...big, spec: { size: 7 } });
      const next = { version: '1.1.0', replaces: '1.0.0', objects: [sized({ maximum: 5 })] };
      await bench.publish(namespace, namespace, [first, next]);
      const plan = await bench.plan(namespace, 'Failed');
      const csv = [namespace, 'csv', `${namespace}.v1.1.0`] as const;
      const line = await bench.advised(csv, 'retryPlan', namespace, plan);
      const correct = await bench.advised(csv, 'correctObject', `bolts.${group}`, namespace, 'big');
      await bench.done(correct, { kubectl: `KUBE_EDITOR="sed -i 's/size: 7/size: 3/'" kubectl` });
      await bench.done(line);
      await bench.runs(namespace, `${namespace}.v1.1.0 Succeeded`);
    },
  },
  'two-subscriptions': {
    carries: ['dropSecond', 'adoptOperator'],
    play: async (bench, namespace) => {
      const subscribe = (name: string, channel: string) =>
        bench.client.create({
          ...{ apiVersion: V1ALPHA1, kind: 'Subscription', metadata: { name, namespace } },
          spec: { name: namespace, channel, source: 'shelf', sourceNamespace: namespace },
        });
      const first = { version: '1.0.0', objects: [], channels: ['stable', 'fast'] };
      const next = { version: '1.1.0', replaces: '1.0.0', objects: [], channels: ['fast'] };
      await fixture.createNamespace(bench.client, namespace);
      await bench.publish(namespace, namespace, [first]);
      await subscribe('one', 'stable');
      await bench.runs(namespace, done(namespace));
      await bench.publish(namespace, namespace, [first, next]);
      await subscribe('two', 'fast');
      const drop = await bench.advised([namespace, 'subscription', 'two'], 'dropSecond', namespace, 'two', 'one');
      await bench.done(drop);
      // As GitOps renames one: the operator is there, and no Subscription refers to it.
      await bench.client.delete({ apiVersion: V1ALPHA1, kind: 'Subscription', name: 'one', namespace });
      await subscribe('three', 'fast');
      const csv = `${namespace}.v1.0.0`;
      await bench.done(
        await bench.advised([namespace, 'subscription', 'three'], 'adoptOperator', namespace, 'three', csv),
      );
      await bench.runs(namespace, `${namespace}.v1.1.0 Succeeded`);
    },
  },
  'plan-deleted': {
    carries: [],
    play: async (bench, namespace) => {
      const group = `${namespace}.example.com`;
      const sized = (maximum: object) =>
        madeCrd({ kind: 'Nail', group }, [
          { name: 'v1', storage: true, properties: { size: { type: 'integer', ...maximum } } },
        ]);
      const first = { version: '1.0.0', objects: [sized({})] };
      await bench.subscribed(namespace, [first]);
      await bench.runs(namespace, done(namespace));
      const big = { apiVersion: `${group}/v1`, kind: 'Nail', metadata: { name: 'big', namespace } };
      await bench.client.create({ ...big, spec: { size: 7 } });
      await bench.publish(namespace, namespace, [
        first,
        { version: '1.1.0', replaces: '1.0.0', objects: [sized({ maximum: 5 })] },
      ]);
      const name = await bench.plan(namespace, 'Failed');
      await bench.client.delete({ apiVersion: big.apiVersion, kind: 'Nail', name: 'big', namespace });
      // The usual step under OLM: the hub creates a new plan by itself.
      await bench.client.delete({ apiVersion: V1ALPHA1, kind: 'InstallPlan', name, namespace });
      await bench.runs(namespace, `${namespace}.v1.1.0 Succeeded`);
    },
  },
  'unserved-kind': {
    carries: ['replanCorrected'],
    play: async (bench, namespace) => {
      const budget = (apiVersion: string) => ({
        version: '1.0.0',
        objects: [
          {
            ...{ apiVersion, kind: 'PodDisruptionBudget', metadata: { name: 'budget' } },
            spec: { minAvailable: 1, selector: { matchLabels: { app: 'x' } } },
          },
        ],
      });
      await bench.subscribed(namespace, [budget('policy/v1beta1')]);
      const plan = await bench.plan(namespace, 'Failed');
      const line = await bench.advised(about(namespace), 'replanCorrected', namespace, plan);
      await bench.publish(namespace, namespace, [budget('policy/v1')]);
      await bench.done(line);
      await bench.runs(namespace, done(namespace));
    },
  },
  'stored-version': {
    carries: ['migrateStoredVersions'],
    play: async (bench, namespace) => {
      const group = `${namespace}.example.com`;
      const version = (number: number, versions: Parameters<typeof madeCrd>[1]) => ({
        version: `1.${number}.0`,
        ...(number === 0 ? {} : { replaces: `1.${number - 1}.0` }),
        objects: [madeCrd({ kind: 'Dock', group }, versions)],
      });
      const steps = [
        version(0, [{ name: 'v1alpha1', storage: true }]),
        version(1, [{ name: 'v1alpha1' }, { name: 'v1', storage: true }]),
        version(2, [
          { name: 'v1alpha1', served: false },
          { name: 'v1', storage: true },
        ]),
        version(3, [{ name: 'v1', storage: true }]),
      ];
      await bench.subscribed(namespace, steps.slice(0, 1));
      await bench.runs(namespace, done(namespace));
      await bench.client.create({
        ...{ apiVersion: `${group}/v1alpha1`, kind: 'Dock', metadata: { name: 'old', namespace } },
        spec: {},
      });
      await bench.publish(namespace, namespace, steps);
      await bench.plan(namespace, 'Failed');
      await bench.done(await bench.advised(about(namespace), 'migrateStoredVersions', namespace, 'own'));
      await bench.runs(namespace, `${namespace}.v1.3.0 Succeeded`);
    },
  },
} satisfies Readonly<Record<string, AdviceCase>>;
