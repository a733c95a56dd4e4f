import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { madeDeployment } from '../integration/applier-support/made-operator.js';
import * as fixture from '../story/bad-input-fixture.js';
import { type AdviceBench, type AdviceCase, until } from './advice-bench.js';

const CONFIGURATION = {
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'ValidatingWebhookConfiguration',
} as const;
const RESOURCE = 'validatingwebhookconfiguration';
const MADE = {
  version: '1.0.0',
  objects: [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings' } }],
  deployments: [madeDeployment('manager', 'default')],
};
const done = (namespace: string) => `${namespace}.v1.0.0 Succeeded`;
const about = (namespace: string) => [namespace, 'subscription', namespace] as const;

type Guard = Readonly<{ group: string; resource: string; labels?: Readonly<Record<string, string>>; url?: string }>;

/** Returns a webhook for objects that are created in this namespace. Nothing answers at its address. */
function guard(namespace: string, { group, resource, labels = {}, url }: Guard): KubernetesObject {
  return {
    ...CONFIGURATION,
    metadata: { name: `${namespace}-guard`, labels: { ...labels } },
    webhooks: [
      {
        ...{ name: `${namespace}.guard.example.com`, failurePolicy: 'Fail', sideEffects: 'None', timeoutSeconds: 1 },
        admissionReviewVersions: ['v1'],
        clientConfig: url === undefined ? { service: { namespace, name: 'guard', path: '/v' } } : { url },
        namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } },
        rules: [{ operations: ['CREATE'], apiGroups: [group], apiVersions: ['*'], resources: [resource] }],
      },
    ],
  };
}

async function subscribed(bench: AdviceBench, namespace: string, of: Guard): Promise<void> {
  await fixture.createNamespace(bench.client, namespace);
  await bench.client.create(guard(namespace, of));
  await bench.publish(namespace, namespace, [MADE]);
  await fixture.subscribe(bench.client, namespace, namespace);
}

const remove = (bench: AdviceBench, namespace: string) =>
  bench.client.delete({ ...CONFIGURATION, name: `${namespace}-guard` });

/** Advice of `explain` about admission webhooks that do not answer. */
export const WEBHOOK_CASES = {
  'webhook-silent': {
    carries: ['wakeWebhook'],
    play: async (bench, namespace) => {
      await subscribed(bench, namespace, { group: 'apps', resource: 'deployments' });
      await bench.runs(namespace, `${namespace}.v1.0.0 Failed`);
      const csv = [namespace, 'csv', `${namespace}.v1.0.0`] as const;
      const { out } = await bench.follow(await bench.advised(csv, 'wakeWebhook', namespace, 'guard'));
      if (!out.includes('not found')) throw new Error(`the Service is there: ${out}`);
      await remove(bench, namespace);
      await bench.runs(namespace, done(namespace));
    },
  },
  'webhook-url': {
    carries: ['inspectWebhook'],
    play: async (bench, namespace) => {
      const url = 'https://127.0.0.1:1/v';
      await subscribed(bench, namespace, { group: 'operators.coreos.com', resource: 'installplans', url });
      const line = await bench.advised(about(namespace), 'inspectWebhook', RESOURCE, `${namespace}-guard`);
      await until(() => bench.done(line).then((out) => out.includes(url)), true);
      await remove(bench, namespace);
      await bench.runs(namespace, done(namespace));
    },
  },
  'webhook-of-operator': {
    carries: ['deleteWebhook', 'wakeWebhook'],
    play: async (bench, namespace) => {
      const labels = {
        'olm.operatorframework.io/owner-kind': 'ClusterExtension',
        'olm.operatorframework.io/owner-name': namespace,
      };
      await subscribed(bench, namespace, { group: '', resource: 'configmaps', labels });
      await bench.plan(namespace, 'Failed');
      await bench.advised(about(namespace), 'wakeWebhook', namespace, 'guard');
      const owner = `ClusterExtension ${namespace}`;
      await bench.done(await bench.advised(about(namespace), 'deleteWebhook', RESOURCE, `${namespace}-guard`, owner));
      await bench.runs(namespace, done(namespace));
    },
  },
} satisfies Readonly<Record<string, AdviceCase>>;
