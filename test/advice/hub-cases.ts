import { expect, vi } from 'vitest';
import { REFUSE_FOREIGN_ANNOTATION } from '#core/classic/install-plan/plan/plan-mark';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import { LONG_PATIENCE } from '#testing/patience';
import { createIgnoringExisting as create } from '../../apps/cli/src/commands/demo/environment/create-object.js';
import { madeCrd } from '../integration/applier-support/made-operator.js';
import * as fixture from '../story/bad-input-fixture.js';
import { type AdviceCase, until } from './advice-bench.js';
import { APPLIER_ROLE, APPLIER_USER } from './hub-accounts.js';

const V1ALPHA1 = 'operators.coreos.com/v1alpha1';
const V1 = [{ version: '1.0.0', objects: [] }];
const CLUSTER_ROLE = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', name: APPLIER_ROLE } as const;
const OPERATOR_HUB = { apiVersion: 'config.openshift.io/v1', kind: 'OperatorHub' } as const;
const done = (namespace: string) => `${namespace}.v1.0.0 Succeeded`;
const about = (namespace: string) => [namespace, 'subscription', namespace] as const;
const shelf = (namespace: string) => [namespace, 'catalogsource', 'shelf'] as const;

const operatorHubCrd = () => {
  const crd = madeCrd({ kind: 'OperatorHub', group: 'config.openshift.io' }, []);
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
  const versions = [{ name: 'v1', served: true, storage: true, schema }];
  return { ...crd, spec: { ...Object(crd['spec']), scope: 'Cluster', versions } };
};

async function may(client: KubeClient, user: string, verb: string, group: string, resource: string): Promise<unknown> {
  const review = { apiVersion: 'authorization.k8s.io/v1', kind: 'SubjectAccessReview', metadata: { name: '' } };
  const spec = { user, resourceAttributes: { group, resource, verb } };
  const { object } = await client.create<KubernetesObject>({ ...review, spec });
  return Object(object['status']).allowed;
}

async function servedGroups(client: KubeClient): Promise<readonly string[]> {
  const services = await client.list({ apiVersion: 'apiregistration.k8s.io/v1', kind: 'APIService' });
  const served = (services?.items ?? []).map((service) => String(Object(service['spec']).group ?? ''));
  return [...new Set(served)].toSorted();
}

/** Returns the command that grants the missing rights. Administrators have their own logins. */
const grantIn = (out: string): string =>
  (/kubectl .*apply -k .*/.exec(out)?.[0] ?? '').replace(/ --kubeconfig \S+ --context \S+/, '');

/** Advice of `explain` and `status` about the hub itself, its accounts, and refused executions. */
export const HUB_CASES = {
  'foreign-plan': {
    carries: ['replanForeign'],
    play: async (bench, namespace) => {
      const annotations = { [REFUSE_FOREIGN_ANNOTATION]: 'true' };
      await bench.client.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace, annotations } });
      await fixture.createNamespace(bench.client, namespace);
      await bench.publish(namespace, namespace, V1);
      await bench.client.create({
        ...{ apiVersion: V1ALPHA1, kind: 'Subscription', metadata: { name: namespace, namespace } },
        spec: {
          ...{ name: namespace, channel: 'stable', source: 'shelf', sourceNamespace: namespace },
          installPlanApproval: 'Manual',
        },
      });
      const name = await bench.plan(namespace, 'RequiresApproval');
      const ref = { apiVersion: V1ALPHA1, kind: 'InstallPlan', name, namespace } as const;
      // The hub may write the plan, too.
      await vi.waitFor(async () => {
        const live = await bench.client.get(ref);
        const status = Object(live?.['status']);
        const [step] = status.plan;
        const changed = { ...step, resource: { ...step.resource, name: 'other' } };
        await bench.client.updateStatus({ ...Object(live), status: { ...status, plan: [changed] } });
      }, LONG_PATIENCE);
      await bench.client.patch(ref, { spec: { approved: true } });
      await bench.plan(namespace, 'Failed');
      await bench.done(await bench.advised(about(namespace), 'replanForeign', namespace, name));
      const own = await bench.plan(namespace, 'RequiresApproval');
      await bench.client.patch({ ...ref, name: own }, { spec: { approved: true } });
      await bench.runs(namespace, done(namespace));
    },
  },
  'default-source-disabled': {
    carries: ['enableDefaultSource'],
    play: async (bench, namespace) => {
      await bench.client.create(operatorHubCrd());
      await fixture.createNamespace(bench.client, namespace, []);
      const image = await bench.catalog(namespace, V1);
      const ref = { apiVersion: V1ALPHA1, kind: 'CatalogSource', name: 'shelf', namespace } as const;
      const annotations = { 'operatorframework.io/managed-by': 'marketplace-operator' };
      await fixture.createCatalog(bench.client, namespace, { image });
      await bench.client.patch(ref, { metadata: { annotations } });
      const sources = (disabled: boolean) => ({ spec: { sources: [{ name: 'shelf', disabled }] } });
      await create(bench.client, { ...OPERATOR_HUB, metadata: { name: 'cluster' }, ...sources(true) });
      await bench.advised(shelf(namespace), 'enableDefaultSource');
      await bench.client.patch({ ...OPERATOR_HUB, name: 'cluster' }, sources(false));
      await until(() => fixture.catalogStatus(bench.client, namespace), 'READY');
    },
  },
  'hub-stopped': {
    alone: true,
    carries: ['checkHub'],
    play: async (bench, namespace) => {
      await bench.stopHub();
      await fixture.createNamespace(bench.client, namespace, []);
      await fixture.createCatalog(bench.client, namespace, { image: await bench.catalog(namespace, V1) });
      const line = await bench.advised(shelf(namespace), 'checkHub');
      expect(await bench.done(line)).toMatch(/^HUB not reached at /);
      await bench.startHub();
      await until(() => fixture.catalogStatus(bench.client, namespace), 'READY');
    },
  },
  'hub-keeps-away': {
    alone: true,
    carries: ['allowAddress', 'allowHost'],
    play: async (bench, namespace) => {
      const image = await bench.catalog(namespace, V1);
      const { host } = bench.registry;
      await fixture.createNamespace(bench.client, namespace, []);
      const setting = 'FLOTILLA_REGISTRY_HOSTS';
      await bench.withOtherSettings(async (restart) => {
        await restart({ FLOTILLA_OUTBOUND_ADDRESSES: 'public,private', [setting]: '' });
        await fixture.createCatalog(bench.client, namespace, { image });
        const line = await bench.advised(shelf(namespace), 'allowAddress', host);
        const [, name = '', value = ''] = /with (FLOTILLA_[A-Z_]+)=(\S+)$/.exec(line) ?? [];
        await restart({ [name]: value, [setting]: 'registry.example' });
        await bench.advised(shelf(namespace), 'allowHost', setting, host);
        await restart({ [setting]: `registry.example,${host}` });
        await until(() => fixture.catalogStatus(bench.client, namespace), 'READY');
      });
    },
  },
  'hub-lacks-right': {
    alone: true,
    carries: ['checkHubRights'],
    play: async (bench, namespace) => {
      const all = Object(await bench.client.get(CLUSTER_ROLE)).rules;
      // Other rights stay: an applier takes a cluster up only if it may read all watched kinds.
      const groups = (await servedGroups(bench.client)).filter((group) => group !== 'scheduling.k8s.io');
      await bench.client.patch(CLUSTER_ROLE, {
        rules: [{ apiGroups: groups, resources: ['*'], verbs: ['*'] }, all[1]],
      });
      // Rights that the API server took away are refused a moment later.
      await until(() => may(bench.client, APPLIER_USER, 'create', 'scheduling.k8s.io', 'priorityclasses'), false);
      const high = {
        apiVersion: 'scheduling.k8s.io/v1',
        kind: 'PriorityClass',
        metadata: { name: namespace },
        value: 7,
      };
      await bench.subscribed(namespace, [{ version: '1.0.0', objects: [high] }]);
      const line = await bench.advised(about(namespace), 'checkHubRights', APPLIER_USER);
      const { exit, out } = await bench.follow(line, { FILE: bench.kubeconfigs.applier });
      expect({ exit, out }).toMatchObject({
        exit: 1,
        out: expect.stringContaining('missing rights of ClusterRole flotilla:apply'),
      });
      await bench.done(grantIn(out));
      await bench.runs(namespace, done(namespace));
    },
  },
  'hub-may-not-watch': {
    alone: true,
    carries: ['checkHubRights'],
    play: async (bench, namespace) => {
      const all = Object(await bench.client.get(CLUSTER_ROLE)).rules;
      await fixture.createNamespace(bench.client, namespace);
      await bench.publish(namespace, namespace, V1);
      await bench.stopHub();
      const olm = 'operators.coreos.com';
      const groups = (await servedGroups(bench.client)).filter((group) => group !== olm);
      const rules = [
        { apiGroups: groups, resources: ['*'], verbs: ['*'] },
        { apiGroups: [olm], resources: ['*'], verbs: ['get', 'create', 'update', 'patch', 'delete'] },
      ];
      await bench.client.patch(CLUSTER_ROLE, { rules: [...rules, all[1]] });
      await until(() => may(bench.client, APPLIER_USER, 'list', olm, 'subscriptions'), false);
      await bench.startHub();
      await fixture.subscribe(bench.client, namespace, namespace);
      const line = await bench.advisedByHub('applier', about(namespace), 'checkHubRights', APPLIER_USER);
      const { exit, out } = await bench.follow(line, { FILE: bench.kubeconfigs.applier });
      expect({ exit, out }).toMatchObject({ exit: 1, out: expect.stringContaining('list, watch') });
      await bench.done(grantIn(out));
      await bench.runs(namespace, done(namespace));
    },
  },
} satisfies Readonly<Record<string, AdviceCase>>;
