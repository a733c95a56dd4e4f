import { describe, expect, it } from 'vitest';
import type { KubernetesObject, ObjectRef } from '#core/kernel/api/kubernetes-object';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import { PATIENCE } from '#testing/patience';
import { madeDeployment } from '../integration/applier-support/made-operator.js';

const RBAC = 'rbac.authorization.k8s.io/v1';
const ADMISSION = 'admissionregistration.k8s.io/v1';
const NAMESPACE = 'by-hand';
const CSV = { apiVersion: 'operators.coreos.com/v1alpha1', kind: 'ClusterServiceVersion', name: 'guard.v1.0.0' };

const webhook = {
  generateName: 'ask.guard.example.com',
  type: 'ValidatingAdmissionWebhook',
  deploymentName: 'guard',
  containerPort: 9443,
  targetPort: 9443,
  admissionReviewVersions: ['v1'],
  sideEffects: 'None',
  failurePolicy: 'Ignore',
  rules: [{ apiGroups: ['guard.example.com'], apiVersions: ['v1'], operations: ['CREATE'], resources: ['guards'] }],
};

const OWNED: readonly ObjectRef[] = [
  { apiVersion: 'v1', kind: 'Secret', name: 'guard-service-cert', namespace: NAMESPACE },
  { apiVersion: 'v1', kind: 'Service', name: 'guard-service', namespace: NAMESPACE },
  { apiVersion: RBAC, kind: 'Role', name: 'guard-service-cert', namespace: NAMESPACE },
  { apiVersion: RBAC, kind: 'RoleBinding', name: 'guard-service-cert', namespace: NAMESPACE },
  { apiVersion: RBAC, kind: 'RoleBinding', name: 'guard-service-auth-reader', namespace: 'kube-system' },
  { apiVersion: RBAC, kind: 'ClusterRoleBinding', name: 'guard-service-system:auth-delegator' },
  { apiVersion: 'apps/v1', kind: 'Deployment', name: 'guard', namespace: NAMESPACE },
];

/**
 * Objects of an operator with a webhook that people delete by hand while the hub runs. The tests give up long
 * before the next resync: only a watch can have reported the deletion.
 */
export function describeRepairsByHand(cluster: () => KubeClient): void {
  const create = (object: KubernetesObject) => cluster().create(object);
  const succeeded = () =>
    expect
      .poll(
        async () =>
          (await cluster().get({ ...CSV, namespace: NAMESPACE }))?.['status'] as { phase?: string } | undefined,
        PATIENCE,
      )
      .toMatchObject({ phase: 'Succeeded' });
  const configuration = async () => {
    const labelSelector = `olm.owner=${CSV.name},olm.owner.namespace=${NAMESPACE}`;
    const list = await cluster().list(
      { apiVersion: ADMISSION, kind: 'ValidatingWebhookConfiguration' },
      { labelSelector },
    );
    const [found] = list?.items ?? [];
    return found;
  };
  const authority = async () => {
    const [secret] = OWNED;
    const found = secret && (await cluster().get(secret));
    return (found?.['data'] as Record<string, string> | undefined)?.['olmCAKey'];
  };

  it('an operator made by hand is installed', async () => {
    await create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } });
    await create({
      ...{ apiVersion: 'operators.coreos.com/v1', kind: 'OperatorGroup' },
      metadata: { name: 'own', namespace: NAMESPACE },
      spec: { targetNamespaces: [NAMESPACE] },
    });
    const { name, ...kind } = CSV;
    await create({
      ...kind,
      metadata: { name, namespace: NAMESPACE },
      spec: {
        displayName: 'guard',
        version: '1.0.0',
        installModes: [{ type: 'OwnNamespace', supported: true }],
        webhookdefinitions: [webhook],
        install: { strategy: 'deployment', spec: { deployments: [madeDeployment('guard', 'default')] } },
      },
    });
    await succeeded();
  });

  it.each(OWNED)('a deleted $kind $name is there again soon', async (ref) => {
    const before = (await cluster().get(ref))?.metadata.uid;
    expect(before).toBeDefined();
    await cluster().delete(ref);
    await expect
      .poll(async () => {
        const uid = (await cluster().get(ref))?.metadata.uid;
        return uid !== undefined && uid !== before;
      }, PATIENCE)
      .toBe(true);
    await succeeded();
  });

  it('a deleted webhook configuration is there again soon', async () => {
    const before = await configuration();
    await cluster().delete({
      apiVersion: ADMISSION,
      kind: 'ValidatingWebhookConfiguration',
      name: before?.metadata.name ?? '',
    });
    await expect
      .poll(async () => {
        const uid = (await configuration())?.metadata.uid;
        return uid !== undefined && uid !== before?.metadata.uid;
      }, PATIENCE)
      .toBe(true);
    await succeeded();
  });

  it('everything deleted at once is there again soon, with one authority', async () => {
    const before = await authority();
    await Promise.all(OWNED.toReversed().map((ref) => cluster().delete(ref)));
    await expect
      .poll(async () => {
        const found = await Promise.all(OWNED.map((ref) => cluster().get(ref)));
        const bundle = JSON.stringify((await configuration())?.['webhooks'] ?? '');
        const now = await authority();
        return found.every(Boolean) && now !== undefined && now !== before && bundle.includes(now);
      }, PATIENCE)
      .toBe(true);
    await succeeded();
  });

  it('an operator is copied soon to where one of its name was uninstalled', async () => {
    const [home, place] = ['copied-from', 'copied-to'];
    for (const name of [home, place]) await create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
    await create({
      ...{ apiVersion: 'operators.coreos.com/v1', kind: 'OperatorGroup' },
      metadata: { name: 'own', namespace: home },
      spec: { targetNamespaces: [home, place] },
    });
    const seat = { ...CSV, name: 'seat.v1.0.0' };
    const { name, ...kind } = seat;
    const spec = {
      displayName: 'seat',
      version: '1.0.0',
      installModes: ['OwnNamespace', 'MultiNamespace'].map((type) => ({ type, supported: true })),
      install: { strategy: 'deployment', spec: { deployments: [madeDeployment('seat', 'default')] } },
    };
    const statusIn = async (namespace: string) => Object((await cluster().get({ ...seat, namespace }))?.['status']);
    const reasonIn = async (namespace: string) => (await statusIn(namespace)).reason;
    await create({ ...kind, metadata: { name, namespace: place }, spec });
    await expect.poll(() => reasonIn(place), PATIENCE).toBe('NoOperatorGroup');
    await create({ ...kind, metadata: { name, namespace: home }, spec });
    await expect.poll(async () => (await statusIn(home)).phase, PATIENCE).toBe('Succeeded');
    await cluster().delete({ ...seat, namespace: place });
    await expect.poll(() => reasonIn(place), PATIENCE).toBe('Copied');
  });

  describe('rights that a user grants by hand to an operator that waits', () => {
    const waiting = { ...CSV, name: 'waits.v1.0.0', namespace: NAMESPACE };
    const rule = { apiGroups: [''], resources: ['pods'], verbs: ['get'] };
    const account = { apiVersion: 'v1', kind: 'ServiceAccount', name: 'waits', namespace: NAMESPACE };
    const accountStatus = async () => {
      const entries: readonly { kind: string; status: string }[] =
        Object((await cluster().get(waiting))?.['status']).requirementStatus ?? [];
      return entries.find(({ kind }) => kind === account.kind)?.status;
    };
    const becomes = (status: string) => expect.poll(accountStatus, PATIENCE).toBe(status);

    it('are missing at first, and so is a kind', async () => {
      const { name, namespace, ...kind } = waiting;
      await create({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: account.name, namespace } });
      await create({
        ...kind,
        metadata: { name, namespace },
        spec: {
          displayName: 'waits',
          version: '1.0.0',
          installModes: [{ type: 'OwnNamespace', supported: true }],
          customresourcedefinitions: { required: [{ name: 'missing.example.com', version: 'v1', kind: 'Missing' }] },
          install: {
            strategy: 'deployment',
            spec: {
              permissions: [{ serviceAccountName: account.name, rules: [rule] }],
              deployments: [madeDeployment('waits', account.name)],
            },
          },
        },
      });
      await becomes('PresentNotSatisfied');
    });

    it.each([
      { role: 'Role', binding: 'RoleBinding', where: { namespace: NAMESPACE } },
      { role: 'ClusterRole', binding: 'ClusterRoleBinding', where: {} },
    ])('a $binding without a label is noticed, and so is its deletion', async ({ role, binding, where }) => {
      const metadata = { name: 'waits-by-hand', ...where };
      await create({ apiVersion: RBAC, kind: role, metadata, rules: [rule] });
      await create({
        apiVersion: RBAC,
        kind: binding,
        metadata,
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: role, name: metadata.name },
        subjects: [{ kind: account.kind, name: account.name, namespace: NAMESPACE }],
      });
      await becomes('Present');
      await cluster().delete({ apiVersion: RBAC, kind: binding, ...metadata });
      await becomes('PresentNotSatisfied');
      await cluster().delete({ apiVersion: RBAC, kind: role, ...metadata });
    });
  });
}
