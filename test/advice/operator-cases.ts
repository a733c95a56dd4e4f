import { expect } from 'vitest';
import { type MadeVersion, madeCrd } from '../integration/applier-support/made-operator.js';
import * as fixture from '../story/bad-input-fixture.js';
import type { AdviceBench, AdviceCase } from './advice-bench.js';

const V1ALPHA1 = 'operators.coreos.com/v1alpha1';
const GROUP = { apiVersion: 'operators.coreos.com/v1', kind: 'OperatorGroup', name: 'own' } as const;
const CRD = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' } as const;
const CSV = { apiVersion: V1ALPHA1, kind: 'ClusterServiceVersion' } as const;
const MULTI = [
  { type: 'OwnNamespace', supported: true },
  { type: 'MultiNamespace', supported: true },
];
const about = (namespace: string) => [namespace, 'csv', `${namespace}.v1.0.0`] as const;
const done = (namespace: string) => `${namespace}.v1.0.0 Succeeded`;
const good: MadeVersion = { version: '1.0.0', objects: [] };
const crdOf = (namespace: string, versions = [{ name: 'v1', storage: true }]) =>
  madeCrd({ kind: 'Gear', group: `${namespace}.example.com` }, versions);
const crdName = (namespace: string) => `gears.${namespace}.example.com`;
const requires = (namespace: string, version: string): MadeVersion => ({
  ...good,
  spec: {
    installModes: MULTI,
    customresourcedefinitions: { required: [{ name: crdName(namespace), version, kind: 'Gear' }] },
  },
});
const webhook = { generateName: 'twice.example.com', type: 'ValidatingAdmissionWebhook', sideEffects: 'None' };
const rules = [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['pods'] }];
const twice = { ...webhook, rules, admissionReviewVersions: ['v1'], deploymentName: 'none' };

const retarget = ({ client }: AdviceBench, namespace: string, targetNamespaces: readonly string[]) =>
  client.patch({ ...GROUP, namespace }, { spec: { targetNamespaces: [...targetNamespaces] } });

/** Advice of `explain` about ClusterServiceVersions. */
export const OPERATOR_CASES = {
  'api-missing': {
    carries: ['installApi', 'explainOriginal'],
    play: async (bench, namespace) => {
      const copy = `${namespace}-copy`;
      await fixture.createNamespace(bench.client, copy, []);
      await fixture.createNamespace(bench.client, namespace);
      await retarget(bench, namespace, [namespace, copy]);
      await bench.publish(namespace, namespace, [requires(namespace, 'v1')]);
      await fixture.subscribe(bench.client, namespace, namespace);
      await bench.advised(about(namespace), 'installApi', crdName(namespace));
      await bench.runs(copy, `${namespace}.v1.0.0 Pending`);
      const original = await bench.advised(
        [copy, 'csv', `${namespace}.v1.0.0`],
        'explainOriginal',
        namespace,
        `${namespace}.v1.0.0`,
      );
      expect(await bench.follow(original)).toMatchObject({ exit: 1, out: expect.stringContaining(crdName(namespace)) });
      await bench.client.create(crdOf(namespace));
      await bench.runs(namespace, done(namespace));
    },
  },
  'api-version-missing': {
    carries: ['inspectCrd'],
    play: async (bench, namespace) => {
      await bench.client.create(crdOf(namespace));
      await bench.subscribed(namespace, [requires(namespace, 'v2')]);
      const line = await bench.advised(about(namespace), 'inspectCrd', crdName(namespace));
      expect(await bench.done(line)).toContain('name: v1');
      const { spec } = crdOf(namespace, [
        { name: 'v1', storage: true },
        { name: 'v2', storage: false },
      ]) as unknown as { spec: Readonly<Record<string, unknown>> };
      await bench.client.patch({ ...CRD, name: crdName(namespace) }, { spec });
      await bench.runs(namespace, done(namespace));
    },
  },
  'cluster-too-old': {
    carries: ['upgradeKubernetes', 'replaceBundle', 'replanBundle'],
    play: async (bench, namespace) => {
      await bench.subscribed(namespace, [{ ...good, spec: { minKubeVersion: '99.0.0' } }]);
      await bench.advised(about(namespace), 'upgradeKubernetes');
      await corrected(bench, namespace);
    },
  },
  'webhooks-invalid': {
    carries: ['replaceBundle', 'replanBundle', 'subscribeAfterCorrection'],
    play: async (bench, namespace) => {
      const bad = { ...good, spec: { webhookdefinitions: [twice, twice] } };
      await bench.subscribed(namespace, [bad]);
      await bench.fails(namespace, `${namespace}.v1.0.0`, 'InvalidWebhookDescription');
      await corrected(bench, namespace);
      const anew = `${namespace}-anew`;
      await bench.subscribed(anew, [bad]);
      await bench.fails(anew, `${anew}.v1.0.0`, 'InvalidWebhookDescription');
      const plan = await bench.plan(anew, 'Complete');
      await bench.client.delete({ apiVersion: V1ALPHA1, kind: 'InstallPlan', name: plan, namespace: anew });
      await bench.advised(about(anew), 'subscribeAfterCorrection');
      await bench.publish(anew, anew, [good]);
      await bench.done(await bench.advised(about(anew), 'replaceBundle', anew, `${anew}.v1.0.0`));
      await bench.client.delete({ apiVersion: V1ALPHA1, kind: 'Subscription', name: anew, namespace: anew });
      await fixture.subscribe(bench.client, anew, anew);
      await bench.runs(anew, done(anew));
    },
  },
  'held-back': {
    carries: ['allowUpgrade'],
    play: async (bench, namespace) => {
      await bench.subscribed(namespace, [good]);
      await bench.runs(namespace, done(namespace));
      const condition = { apiVersion: 'operators.coreos.com/v2', kind: 'OperatorCondition' };
      const overrides = [{ type: 'Upgradeable', status: 'False', reason: 'Freeze', message: 'not before Monday' }];
      await bench.client.patch({ ...condition, name: `${namespace}.v1.0.0`, namespace }, { spec: { overrides } });
      await bench.publish(namespace, namespace, [good, { ...good, version: '1.1.0', replaces: '1.0.0' }]);
      const subject = [namespace, 'csv', `${namespace}.v1.1.0`] as const;
      await bench.done(await bench.advised(subject, 'allowUpgrade', namespace, `${namespace}.v1.0.0`));
      await bench.runs(namespace, `${namespace}.v1.1.0 Succeeded`);
    },
  },
  'targets-unsupported': {
    carries: ['changeTargets'],
    play: async (bench, namespace) => {
      await fixture.createNamespace(bench.client, namespace);
      await retarget(bench, namespace, [namespace, 'olm']);
      await bench.publish(namespace, namespace, [good]);
      await fixture.subscribe(bench.client, namespace, namespace);
      await bench.advised(about(namespace), 'changeTargets');
      await retarget(bench, namespace, [namespace]);
      await bench.runs(namespace, done(namespace));
    },
  },
  'two-providers': {
    carries: ['separateProviders'],
    play: async (bench, namespace) => {
      const other = `${namespace}-other`;
      const versions = [{ ...good, objects: [crdOf(namespace)], spec: { installModes: MULTI } }];
      await fixture.createNamespace(bench.client, namespace);
      await bench.publish(namespace, namespace, versions);
      await fixture.subscribe(bench.client, namespace, namespace);
      await bench.runs(namespace, done(namespace));
      await fixture.createNamespace(bench.client, other);
      await retarget(bench, other, [other, namespace]);
      await bench.publish(other, namespace, versions);
      await fixture.subscribe(bench.client, other, namespace);
      await bench.fails(other, `${namespace}.v1.0.0`, 'InterOperatorGroupOwnerConflict');
      await bench.advised([other, 'csv', `${namespace}.v1.0.0`], 'separateProviders');
      await retarget(bench, other, [other]);
      await bench.runs(other, done(namespace));
      await bench.runs(namespace, done(namespace));
    },
  },
  'static-apis': {
    carries: ['addStaticApis'],
    play: async (bench, namespace) => {
      await fixture.createNamespace(bench.client, namespace);
      await bench.client.patch({ ...GROUP, namespace }, { spec: { staticProvidedAPIs: true } });
      await bench.publish(namespace, namespace, [{ ...good, objects: [crdOf(namespace)] }]);
      await fixture.subscribe(bench.client, namespace, namespace);
      await bench.advised(about(namespace), 'addStaticApis');
      await bench.client.patch({ ...GROUP, namespace }, { spec: { staticProvidedAPIs: false } });
      await bench.runs(namespace, done(namespace));
    },
  },
  'one-api-twice': {
    carries: ['removeRival'],
    play: async (bench, namespace) => {
      const rival = `${namespace}-rival`;
      const versions = [{ ...good, objects: [crdOf(namespace)] }];
      await bench.subscribed(namespace, versions);
      await bench.runs(namespace, done(namespace));
      const image = await bench.catalog(rival, versions);
      await fixture.createCatalog(bench.client, namespace, { image }, 'rivals');
      await fixture.subscribe(bench.client, namespace, rival, { name: 'rivals', namespace });
      await bench.fails(namespace, `${rival}.v1.0.0`, 'OwnerConflict');
      await bench.advised([namespace, 'csv', `${rival}.v1.0.0`], 'removeRival', `${namespace}.v1.0.0`);
      await bench.client.delete({ apiVersion: V1ALPHA1, kind: 'Subscription', name: namespace, namespace });
      await bench.client.delete({ ...CSV, name: `${namespace}.v1.0.0`, namespace });
      await bench.runs(namespace, `${rival}.v1.0.0 Succeeded`);
    },
  },
} satisfies Readonly<Record<string, AdviceCase>>;

/** Carries out the advice about a CSV that waiting does not repair: replaces it by a corrected bundle. */
async function corrected(bench: AdviceBench, namespace: string): Promise<void> {
  const plan = await bench.plan(namespace, 'Complete');
  const remove = await bench.advised(about(namespace), 'replaceBundle', namespace, `${namespace}.v1.0.0`);
  const again = await bench.advised(about(namespace), 'replanBundle', namespace, plan);
  await bench.publish(namespace, namespace, [good]);
  await bench.done(remove);
  await bench.done(again);
  await bench.runs(namespace, done(namespace));
}
