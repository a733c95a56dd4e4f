import { expect } from 'vitest';
import { pause } from '#testing/patience';
import { type MadeVersion, madeCrd, madeDeployment } from '../integration/applier-support/made-operator.js';
import * as fixture from '../story/bad-input-fixture.js';
import { type AdviceBench, type AdviceCase, until } from './advice-bench.js';

const RBAC = 'rbac.authorization.k8s.io';
const V1ALPHA1 = 'operators.coreos.com/v1alpha1';
const API_SERVICE = { apiVersion: 'apiregistration.k8s.io/v1', kind: 'APIService' } as const;
const about = (namespace: string) => [namespace, 'csv', `${namespace}.v1.0.0`] as const;
const done = (namespace: string) => `${namespace}.v1.0.0 Succeeded`;
const pending = (namespace: string) => `${namespace}.v1.0.0 Pending`;
const groupOf = (namespace: string) => `${namespace}.example.com`;
const crdOf = (namespace: string) =>
  madeCrd({ kind: 'Gear', group: groupOf(namespace) }, [{ name: 'v1', storage: true }]);
const withSpec = (spec: Readonly<Record<string, unknown>>): MadeVersion => ({ version: '1.0.0', objects: [], spec });

/** Deletes the objects of this kind that the operator's plan created. */
async function deleteOwn({ client }: AdviceBench, kind: 'Role' | 'RoleBinding', namespace: string): Promise<void> {
  const ref = { apiVersion: `${RBAC}/v1`, kind };
  const labelSelector = `olm.owner=${namespace}.v1.0.0`;
  const found = (await client.list(ref, { namespace, labelSelector }))?.items ?? [];
  expect(found).toHaveLength(1);
  for (const { metadata } of found) await client.delete({ ...ref, name: metadata.name ?? '', namespace });
}

/**
 * Advice of `explain` about ClusterServiceVersions with unmet requirements, and about operators that do not
 * start.
 */
export const REQUIREMENT_CASES = {
  'account-deleted': {
    carries: ['installApi', 'createOperatorAccount', 'giveOperatorRights'],
    play: async (bench, namespace) => {
      const required = [{ name: `gears.${groupOf(namespace)}`, version: 'v1', kind: 'Gear' }];
      await bench.subscribed(namespace, [withSpec({ customresourcedefinitions: { required } })]);
      await bench.runs(namespace, pending(namespace));
      const name = await bench.plan(namespace, 'Complete');
      await bench.advised(about(namespace), 'installApi', `gears.${groupOf(namespace)}`);
      await bench.client.create(crdOf(namespace));
      await bench.runs(namespace, done(namespace));
      // Without its plan only a user can bring it back: it was installed once.
      await bench.client.delete({ apiVersion: V1ALPHA1, kind: 'InstallPlan', name, namespace });
      await bench.client.delete({ apiVersion: 'v1', kind: 'ServiceAccount', name: namespace, namespace });
      await bench.done(await bench.advised(about(namespace), 'createOperatorAccount', namespace, namespace));
      for (const kind of ['RoleBinding', 'Role'] as const) await deleteOwn(bench, kind, namespace);
      await bench.advised(about(namespace), 'giveOperatorRights', namespace);
      const rules = [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }];
      const metadata = { name: 'by-hand', namespace };
      await bench.client.create({ apiVersion: `${RBAC}/v1`, kind: 'Role', metadata, rules });
      await bench.client.create({
        ...{ apiVersion: `${RBAC}/v1`, kind: 'RoleBinding', metadata },
        roleRef: { apiGroup: RBAC, kind: 'Role', name: 'by-hand' },
        subjects: [{ kind: 'ServiceAccount', name: namespace, namespace }],
      });
      await bench.runs(namespace, done(namespace));
    },
  },
  'objects-gone': {
    carries: ['executeAgain'],
    play: async (bench, namespace) => {
      await bench.subscribed(namespace, [{ version: '1.0.0', objects: [] }]);
      await bench.runs(namespace, done(namespace));
      const plan = await bench.plan(namespace, 'Complete');
      for (const kind of ['RoleBinding', 'Role'] as const) await deleteOwn(bench, kind, namespace);
      await bench.client.delete({ apiVersion: 'v1', kind: 'ServiceAccount', name: namespace, namespace });
      const again = await bench.done(await bench.advised(about(namespace), 'executeAgain', namespace, plan));
      expect(again).toMatch(/makes again .*Role/);
      await bench.runs(namespace, done(namespace));
    },
  },
  'api-unavailable': {
    carries: ['installApi', 'inspectApiService'],
    play: async (bench, namespace) => {
      const group = groupOf(namespace);
      const name = `v1.${group}`;
      const service = { name: 'nothing', namespace, port: 443 };
      await bench.client.create({
        ...{ ...API_SERVICE, metadata: { name } },
        spec: { group, version: 'v1', groupPriorityMinimum: 1000, versionPriority: 15, service },
      });
      const required = [{ group, version: 'v1', kind: 'Gear', name: 'gears' }];
      await bench.subscribed(namespace, [withSpec({ apiservicedefinitions: { required } })]);
      await bench.advised(about(namespace), 'installApi', name);
      const inspect = await bench.advised(about(namespace), 'inspectApiService', name);
      expect(await bench.done(inspect)).toMatch(/message: service\/nothing in "api-unavailable" is not present/);
      await bench.client.delete({ ...API_SERVICE, name });
      await bench.client.create(crdOf(namespace));
      await bench.runs(namespace, done(namespace));
    },
  },
  'native-api-missing': {
    carries: ['serveNativeApi'],
    play: async (bench, namespace) => {
      const group = groupOf(namespace);
      await bench.subscribed(namespace, [withSpec({ nativeAPIs: [{ group, version: 'v1', kind: 'Gear' }] })]);
      const line = await bench.advised(about(namespace), 'serveNativeApi', 'Gear', group);
      expect(await bench.done(line)).not.toContain('gears');
      await bench.client.create(crdOf(namespace));
      await bench.runs(namespace, done(namespace));
      expect(await bench.done(line)).toMatch(/^gears .* Gear$/m);
    },
  },
  'pods-pending': {
    carries: ['watchPods'],
    play: async (bench, namespace) => {
      const label = `advice.example.com/${namespace}`;
      const deployment = madeDeployment(namespace, namespace, { nodeSelector: { [label]: 'here' } });
      await bench.subscribed(namespace, [{ version: '1.0.0', objects: [], deployments: [deployment] }]);
      await bench.runs(namespace, `${namespace}.v1.0.0 Installing`);
      const line = await bench.advised(about(namespace), 'watchPods', namespace, `app=${namespace}`);
      await until(() => bench.done(line), expect.stringMatching(/FailedScheduling .*node affinity\/selector/));
      const node = (await bench.client.list({ apiVersion: 'v1', kind: 'Node' }))?.items[0]?.metadata.name ?? '';
      const labels = { [label]: 'here' };
      await bench.client.patch({ apiVersion: 'v1', kind: 'Node', name: node }, { metadata: { labels } });
      await bench.runs(namespace, done(namespace));
    },
  },
  'deployment-forbidden': {
    carries: ['retryForbidden'],
    play: async (bench, namespace) => {
      await fixture.createNamespace(bench.client, namespace);
      const quota = { apiVersion: 'v1', kind: 'ResourceQuota', name: 'none', namespace } as const;
      const { apiVersion, kind, ...metadata } = quota;
      await bench.client.create({ apiVersion, kind, metadata, spec: { hard: { 'count/deployments.apps': '0' } } });
      const deployment = madeDeployment(namespace, namespace);
      // The API server enforces a quota some moments after its creation.
      const probe = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'probe', namespace } };
      const tried = () =>
        bench.client.create({ ...probe, spec: deployment.spec }, { dryRun: true }).then(
          () => 'accepted',
          (error) => error.reason,
        );
      await until(tried, 'Forbidden');
      await bench.publish(namespace, namespace, [{ version: '1.0.0', objects: [], deployments: [deployment] }]);
      await fixture.subscribe(bench.client, namespace, namespace);
      await bench.fails(namespace, `${namespace}.v1.0.0`, 'InstallComponentFailedNoRetry');
      const line = await bench.advised(about(namespace), 'retryForbidden', namespace, 'own');
      await bench.client.delete(quota);
      // The API server enforces a quota for a moment after its deletion. A user who is too quick runs the
      // command again.
      const afterRetry = async () => {
        await bench.done(line);
        await pause(2_000);
        return fixture.operators(bench.client, namespace);
      };
      await until(afterRetry, [done(namespace)]);
    },
  },
  'deployment-refused': {
    carries: ['correctRefusal', 'replaceBundle', 'replanBundle'],
    play: async (bench, namespace) => {
      const offered = (image: string) => {
        const deployment = madeDeployment(namespace, namespace, { containers: [{ name: 'manager', image }] });
        return [{ version: '1.0.0', objects: [], deployments: [deployment] }];
      };
      await bench.subscribed(namespace, offered(''));
      await bench.fails(namespace, `${namespace}.v1.0.0`, 'InstallComponentFailed');
      const plan = await bench.plan(namespace, 'Complete');
      await bench.advised(about(namespace), 'correctRefusal');
      const remove = await bench.advised(about(namespace), 'replaceBundle', namespace, `${namespace}.v1.0.0`);
      const again = await bench.advised(about(namespace), 'replanBundle', namespace, plan);
      await bench.publish(namespace, namespace, offered('example.com/manager:1'));
      await bench.done(remove);
      await bench.done(again);
      await bench.runs(namespace, done(namespace));
    },
  },
} satisfies Readonly<Record<string, AdviceCase>>;
