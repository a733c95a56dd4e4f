import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { ApplierBench } from './applier-support/applier-bench.js';

const GROUP = { apiVersion: 'operators.coreos.com/v1', kind: 'OperatorGroup' } as const;
const NAMESPACE = { apiVersion: 'v1', kind: 'Namespace' } as const;
const V1 = ['harbor-operator.v1.0.0', 'lighthouse-operator.v1.0.0'];

describe('what the applier does for OperatorGroups', () => {
  let bench: ApplierBench;
  beforeAll(async () => {
    bench = await ApplierBench.start();
  });
  afterAll(() => bench.stop());

  const groupLabels = (namespace: string) =>
    Object.keys(bench.cluster.get({ ...NAMESPACE, name: namespace })?.metadata.labels ?? {}).filter((key) =>
      key.startsWith('olm.operatorgroup.uid/'),
    );
  const groupRoles = (namespace: string) =>
    bench.cluster
      .list({ apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole' })
      .filter(({ metadata }) => metadata.labels?.['olm.owner.namespace'] === namespace)
      .filter(({ metadata }) => metadata.labels?.['olm.owner.kind'] === 'OperatorGroup');
  const warnings = (namespace: string) =>
    bench.cluster
      .list({ apiVersion: 'v1', kind: 'Event' })
      .filter((event) => (event as KubernetesObject)['type'] === 'Warning')
      .filter((event) => JSON.stringify(event['involvedObject']).includes(`"${namespace}"`))
      .map((event) => String(event['message']));
  const annotate = (namespace: string, key: string, value: string) =>
    bench.cluster.edit({ ...GROUP, name: `${namespace}-group`, namespace }, ({ metadata }) => {
      metadata.annotations = { [key]: value };
    });

  it('takes its labels and ClusterRoles away when the group goes, and leaves those of other groups', async () => {
    bench.namespace('gone', ['gone', 'kept']);
    bench.namespace('kept', ['kept']);
    await bench.pass('gone');
    await bench.pass('kept');
    expect(groupLabels('kept')).toHaveLength(2);
    expect(groupRoles('gone')).toHaveLength(3);
    bench.cluster.delete({ ...GROUP, name: 'gone-group', namespace: 'gone' });
    await bench.pass('gone');
    expect(groupLabels('gone')).toEqual([]);
    expect(groupLabels('kept')).toHaveLength(1);
    expect([groupRoles('gone').length, groupRoles('kept').length]).toEqual([0, 3]);
  });

  it('stops the namespace at a duration that cannot be read, with the reason, and goes on once it can', async () => {
    const key = 'operatorframework.io/bundle-unpack-timeout';
    bench.namespace('harbors');
    annotate('harbors', key, 'a while');
    bench.subscribe('harbors', 'harbor-operator');
    await bench.observe('harbors');
    await bench.pass('harbors');
    expect(bench.csvs('harbors')).toEqual([]);
    expect(warnings('harbors')).toEqual([
      `failed to parse unpack timeout annotation(${key}: a while): time: invalid duration "a while": nothing is resolved`,
    ]);
    annotate('harbors', key, '2m');
    await bench.installed('harbors', ...V1);
  });

  it('tries a bundle again no sooner than the annotation says', async () => {
    bench.namespace('patient');
    annotate('patient', 'operatorframework.io/bundle-unpack-min-retry-interval', '3m');
    bench.subscribe('patient', 'lighthouse-operator');
    await bench.observe('patient');
    bench.registry.failNext({ status: 404, times: 1, path: /manifests/ });
    const pulls = bench.registry.requests.manifests;
    expect((await bench.pass('patient')).againAfterMs).toBeGreaterThan(150_000);
    expect((await bench.pass('patient')).againAfterMs).toBeGreaterThan(150_000);
    expect(bench.registry.requests.manifests - pulls).toBe(1);
    expect(bench.csvs('patient')).toEqual([]);
  });

  // The last one: its pull may go on after it was given up.
  it('gives up bundles that are not fetched in the time the annotation allows, and says how to allow more', async () => {
    bench.namespace('slow');
    annotate('slow', 'operatorframework.io/bundle-unpack-timeout', '50ms');
    bench.subscribe('slow', 'lighthouse-operator');
    await bench.observe('slow');
    // The registry asks for patience for longer than the annotation allows.
    bench.registry.failNext({ status: 503, times: 1, headers: { 'retry-after': '5' } });
    const { againAfterMs } = await bench.pass('slow');
    expect(bench.subscriptions('slow')[0]?.status?.conditions).toContainEqual(
      expect.objectContaining({
        type: 'BundleUnpackFailed',
        reason: 'BundleUnpackFailed',
        message: expect.stringMatching(
          /^Bundle unpacking failed - DeadlineExceeded: .* within 0\.05 s\. .*bundle-unpack-timeout/,
        ),
      }),
    );
    expect(againAfterMs).toBeGreaterThan(10_000);
  });
});
