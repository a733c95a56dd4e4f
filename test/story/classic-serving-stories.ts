import { expect, it } from 'vitest';
import type { KubernetesObject, ObjectRef } from '#core/kernel/api/kubernetes-object';
import { freePorts } from '#testing/control-plane/free-ports';
import { LONG_PATIENCE, PATIENCE } from '#testing/patience';
import { madeDeployment } from '../integration/applier-support/made-operator.js';
import { startApiBackend } from '../recorded/api-backend.js';
import * as fixture from './bad-input-fixture.js';
import type { UpgradeFixture } from './classic-upgrade-stories.js';

const V1ALPHA1 = 'operators.coreos.com/v1alpha1';
const WEBHOOKS = { apiVersion: 'admissionregistration.k8s.io/v1', kind: 'ValidatingWebhookConfiguration' } as const;

/** Objects that an APIService of Deployment `hats` needs. */
const RIGHTS: readonly ObjectRef[] = [
  { apiVersion: 'v1', kind: 'Service', name: 'hats-service', namespace: 'hats' },
  {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    name: 'hats-service-system:auth-delegator',
  },
  {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'RoleBinding',
    name: 'hats-service-auth-reader',
    namespace: 'kube-system',
  },
];

const csvOf = (name: string, namespace: string, more: object): KubernetesObject => ({
  ...{ apiVersion: V1ALPHA1, kind: 'ClusterServiceVersion', metadata: { name: `${name}.v1.0.0`, namespace } },
  spec: {
    ...{ displayName: name, version: '1.0.0', installModes: [{ type: 'OwnNamespace', supported: true }] },
    install: { strategy: 'deployment', spec: { deployments: [madeDeployment(name, 'default')] } },
    ...more,
  },
});

/** Upgrades of operators that the API server calls, from the end-to-end suite of OLM. */
export function describeClassicServing({ client, publish }: UpgradeFixture): void {
  const runs = (namespace: string, ...csvs: string[]) =>
    expect.poll(() => fixture.operators(client(), namespace), LONG_PATIENCE).toEqual(csvs);

  it('an operator has another webhook after its upgrade, with the same certificate, and then with a new one', async () => {
    const where = 'gate';
    const called = (name: string) => ({
      ...{ generateName: name, type: 'ValidatingAdmissionWebhook', deploymentName: 'gate', webhookPath: '/ask' },
      ...{ containerPort: 9443, targetPort: 9443, admissionReviewVersions: ['v1'] },
      ...{ sideEffects: 'None', failurePolicy: 'Ignore' },
      rules: [{ apiGroups: ['gate.example.com'], apiVersions: ['v1'], operations: ['CREATE'], resources: ['locks'] }],
    });
    const version = (number: string, webhook: string, replaces?: string) => ({
      ...{ version: number, objects: [], deployments: [madeDeployment('gate', 'gate')] },
      ...(replaces === undefined ? {} : { replaces }),
      spec: { webhookdefinitions: [called(webhook)] },
    });
    type Called = { name: string; clientConfig: { caBundle: string } };
    const webhooks = async () => {
      const found = (await client().list(WEBHOOKS, { labelSelector: `olm.owner.namespace=${where}` }))?.items ?? [];
      return found.flatMap((one) => one['webhooks'] as Called[]);
    };
    const secret = { apiVersion: 'v1', kind: 'Secret', name: 'gate-service-cert', namespace: where };
    const caHash = async () => {
      const deployment = await client().get({
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        name: 'gate',
        namespace: where,
      });
      return String(Object(deployment?.['spec']).template?.metadata.annotations.olmcahash);
    };
    const [first, second] = [
      version('1.0.0', 'one.gate.example.com'),
      version('2.0.0', 'two.gate.example.com', '1.0.0'),
    ];
    await fixture.createNamespace(client(), where);
    await publish(where, 1, { gate: [first] });
    await fixture.subscribe(client(), where, 'gate');
    await runs(where, 'gate.v1.0.0 Succeeded');
    const before = { webhooks: await webhooks(), secret: await client().get(secret), caHash: await caHash() };
    expect(before.webhooks.map(({ name }) => name)).toEqual(['one.gate.example.com']);
    await publish(where, 2, { gate: [first, second] });
    await runs(where, 'gate.v2.0.0 Succeeded');
    const after = async () => (await webhooks()).map(({ name }) => name);
    await expect.poll(after, PATIENCE).toEqual(['two.gate.example.com']);
    expect((await client().get(secret))?.['data']).toEqual(before.secret?.['data']);
    expect((await webhooks()).map(({ clientConfig }) => clientConfig)).toEqual([
      expect.objectContaining({ caBundle: before.webhooks[0]?.clientConfig.caBundle }),
    ]);

    await client().patch(secret, { data: { 'tls.crt': Buffer.from('no certificate').toString('base64') } });
    await expect.poll(caHash, PATIENCE).not.toBe(before.caHash);
    await runs(where, 'gate.v2.0.0 Succeeded');
    expect((await webhooks())[0]?.clientConfig.caBundle).not.toBe(before.webhooks[0]?.clientConfig.caBundle);
  });

  it('an API passes to the next version of its operator, comes back when it is deleted, and goes to no other', async () => {
    const where = 'hats';
    const [port = 0] = await freePorts(1);
    const pod = madeDeployment('hats', 'hats', { hostNetwork: true });
    const api = { name: 'tides', group: 'hats.example.com', version: 'v1', kind: 'Tide', containerPort: port };
    const owning = (deploymentName: string) => ({ apiservicedefinitions: { owned: [{ ...api, deploymentName }] } });
    const first = { version: '1.0.0', objects: [], deployments: [pod], spec: owning('hats') };
    const ref: ObjectRef = { apiVersion: 'apiregistration.k8s.io/v1', kind: 'APIService', name: 'v1.hats.example.com' };
    const owner = async () => (await client().get(ref))?.metadata.labels?.['olm.owner'];
    await fixture.createNamespace(client(), where);
    await publish(where, 1, { hats: [first] });
    await fixture.subscribe(client(), where, 'hats');
    const backend = await startApiBackend(client(), where);
    try {
      await runs(where, 'hats.v1.0.0 Succeeded');
      expect(await owner()).toBe('hats.v1.0.0');
      await publish(where, 2, { hats: [first, { ...first, version: '2.0.0', replaces: '1.0.0' }] });
      await runs(where, 'hats.v2.0.0 Succeeded');
      expect(await owner()).toBe('hats.v2.0.0');
      expect((await Promise.all(RIGHTS.map((one) => client().get(one)))).map((one) => one?.metadata.name)).toEqual(
        RIGHTS.map(({ name }) => name),
      );

      const old = (await client().get(ref))?.metadata.uid;
      await client().delete(ref);
      const uid = async () => (await client().get(ref))?.metadata.uid ?? old;
      await expect.poll(uid, PATIENCE).not.toBe(old);
      await runs(where, 'hats.v2.0.0 Succeeded');

      const rival = csvOf('caps', where, owning('caps'));
      await client().create(rival);
      const rivals = async () => {
        const found = await client().get({ ...rival, name: 'caps.v1.0.0', namespace: where });
        const { phase, reason } = Object(found?.['status']);
        return `${phase} ${reason}`;
      };
      await expect.poll(rivals, PATIENCE).toBe('Failed OwnerConflict');
      expect(await owner()).toBe('hats.v2.0.0');
    } finally {
      await backend.stop();
    }
  });
}
