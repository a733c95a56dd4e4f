import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { KubernetesObject, ObjectRef } from '#core/kernel/api/kubernetes-object';
import { ApplierBench } from './applier-support/applier-bench.js';
import { madeDeployment, offer } from './applier-support/made-operator.js';

const LABELS = 'olm.owner=guard-operator.v1.0.0';
const RBAC = 'rbac.authorization.k8s.io/v1';
const ADMISSION = 'admissionregistration.k8s.io/v1';

const webhook = (type: string) => ({
  generateName: `${type.toLowerCase().slice(0, 3)}.guard.example.com`,
  type,
  deploymentName: 'guard',
  containerPort: 9443,
  targetPort: 9443,
  admissionReviewVersions: ['v1'],
  sideEffects: 'None',
  failurePolicy: 'Ignore',
  webhookPath: '/ask',
  rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }],
});

describe('what an operator with webhooks loses', () => {
  let bench: ApplierBench;
  beforeAll(async () => {
    bench = await ApplierBench.start({ cached: true });
    await offer(bench, 'guard-operator', [
      {
        version: '1.0.0',
        objects: [],
        deployments: [madeDeployment('guard', 'guard-operator')],
        spec: { webhookdefinitions: ['ValidatingAdmissionWebhook', 'MutatingAdmissionWebhook'].map(webhook) },
      },
    ]);
    for (const namespace of ['gate', 'wall']) {
      bench.namespace(namespace);
      bench.subscribe(namespace, 'guard-operator');
      await bench.installed(namespace, 'guard-operator.v1.0.0');
    }
  });
  afterAll(() => bench.stop());

  const here = { namespace: 'gate' };
  const secret = { apiVersion: 'v1', kind: 'Secret', name: 'guard-service-cert', ...here };
  const shared = [
    { apiVersion: RBAC, kind: 'ClusterRoleBinding', name: 'guard-service-system:auth-delegator' },
    { apiVersion: RBAC, kind: 'RoleBinding', name: 'guard-service-auth-reader', namespace: 'kube-system' },
  ];
  const configuration = (kind: string): KubernetesObject => {
    const owner = 'olm.owner.namespace=gate';
    const [found] = bench.cluster
      .list({ apiVersion: ADMISSION, kind })
      .filter(({ metadata }) => `olm.owner.namespace=${metadata.labels?.['olm.owner.namespace']}` === owner);
    if (found === undefined) throw new Error(`no ${kind} of ${LABELS}`);
    return found;
  };
  const subjects = (ref: ObjectRef) => {
    const live = bench.cluster.get(ref)?.['subjects'] as { namespace: string }[] | undefined;
    return (live ?? []).map(({ namespace }) => namespace);
  };
  const bundle = (kind: string) => {
    const [first] = configuration(kind)['webhooks'] as { clientConfig: { caBundle: string } }[];
    return first?.clientConfig.caBundle;
  };
  const settled = () => bench.installed('gate', 'guard-operator.v1.0.0');

  it.each([
    { apiVersion: 'v1', kind: 'Service', name: 'guard-service', ...here },
    { apiVersion: RBAC, kind: 'Role', name: 'guard-service-cert', ...here },
    { apiVersion: RBAC, kind: 'RoleBinding', name: 'guard-service-cert', ...here },
    ...shared,
    { apiVersion: 'apps/v1', kind: 'Deployment', name: 'guard', ...here },
    secret,
  ])('$kind $name comes back in one pass', async (ref) => {
    bench.cluster.delete(ref);
    await settled();
    expect(bench.cluster.get(ref)).toBeDefined();
    bench.cluster.requests.clear();
    await bench.pass('gate');
    expect(bench.cluster.requests.writes(), 'and then all is at rest').toEqual([]);
  });

  it.each(['ValidatingWebhookConfiguration', 'MutatingWebhookConfiguration'])('a %s comes back', async (kind) => {
    const { apiVersion, metadata } = configuration(kind);
    bench.cluster.delete({ apiVersion, kind, name: metadata.name ?? '' });
    await settled();
    expect(configuration(kind)['webhooks']).toHaveLength(1);
  });

  it('the certificate is made anew with its authority everywhere', async () => {
    const before = bundle('ValidatingWebhookConfiguration');
    bench.cluster.delete(secret);
    await settled();
    const data = bench.cluster.get(secret)?.['data'] as Record<string, string>;
    expect(data['olmCAKey']).not.toBe(before);
    expect(bundle('ValidatingWebhookConfiguration')).toBe(data['olmCAKey']);
    expect(bundle('MutatingWebhookConfiguration')).toBe(data['olmCAKey']);
    const hash = bench.cluster.get(secret)?.metadata.annotations?.['olmcahash'];
    expect(
      JSON.stringify(bench.cluster.get({ ...secret, apiVersion: 'apps/v1', kind: 'Deployment', name: 'guard' })),
    ).toContain(`"olmcahash":"${hash}"`);
  });

  it('an authority that was overwritten comes back', async () => {
    const { apiVersion, kind, metadata } = configuration('ValidatingWebhookConfiguration');
    const before = bundle(kind);
    bench.cluster.edit({ apiVersion, kind, name: metadata.name ?? '' }, (live) => {
      const [first] = live['webhooks'] as unknown as { clientConfig: { caBundle: string } }[];
      if (first !== undefined) first.clientConfig.caBundle = 'AAAA';
    });
    await settled();
    expect(bundle(kind)).toBe(before);
  });

  it('bindings that both installs share hold both accounts, until one of them goes', async () => {
    await bench.installed('wall', 'guard-operator.v1.0.0');
    for (const ref of shared) expect(subjects(ref).toSorted()).toEqual(['gate', 'wall']);
    const olm = { apiVersion: 'operators.coreos.com/v1alpha1', ...here };
    bench.cluster.delete({ ...olm, kind: 'Subscription', name: 'guard-operator' });
    bench.cluster.delete({ ...olm, kind: 'ClusterServiceVersion', name: 'guard-operator.v1.0.0' });
    await bench.settle('gate', () => bench.csvs('gate').length === 0);
    for (const ref of shared) expect(subjects(ref)).toEqual(['wall']);
    await bench.installed('wall', 'guard-operator.v1.0.0');
    for (const ref of shared) {
      expect(bench.cluster.get(ref)?.metadata.labels).toMatchObject({ 'olm.owner.namespace': 'wall' });
    }
    bench.cluster.delete({ ...olm, kind: 'Subscription', name: 'guard-operator', namespace: 'wall' });
    bench.cluster.delete({ ...olm, kind: 'ClusterServiceVersion', name: 'guard-operator.v1.0.0', namespace: 'wall' });
    await bench.settle('wall', () => bench.csvs('wall').length === 0);
    for (const ref of shared) expect(bench.cluster.get(ref)).toBeUndefined();
  });
});
