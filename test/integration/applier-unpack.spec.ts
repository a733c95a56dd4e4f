import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pause } from '#testing/patience';
import { ApplierBench } from './applier-support/applier-bench.js';
import { offer } from './applier-support/made-operator.js';

const GROUP = { apiVersion: 'operators.coreos.com/v1', kind: 'OperatorGroup' } as const;
const LIGHTHOUSE = 'lighthouse-operator.v1.0.0';

describe('what Subscriptions say while bundles are fetched', () => {
  let bench: ApplierBench;
  beforeAll(async () => {
    bench = await ApplierBench.start();
  });
  afterAll(() => bench.stop());

  const annotate = (namespace: string, annotations: Record<string, string>) =>
    bench.cluster.edit({ ...GROUP, name: `${namespace}-group`, namespace }, ({ metadata }) => {
      metadata.annotations = annotations;
    });
  const condition = (namespace: string, type: string, name?: string) =>
    bench
      .subscriptions(namespace)
      .find(({ metadata }) => name === undefined || metadata.name === name)
      ?.status?.conditions?.find((held) => held.type === type);
  const failures = (namespace: string) =>
    bench.cluster
      .list({ apiVersion: 'v1', kind: 'Event', namespace })
      .filter((event) => event['reason'] === 'BundleUnpackFailed')
      .map((event) => [(event['involvedObject'] as { name?: string }).name, event['message']]);
  const until = async (holds: () => Promise<boolean>) => {
    while (!(await holds())) await pause(250);
  };

  it('a registry that does not answer: under way, then failed, with an Event; and installed once it does', async () => {
    bench.namespace('hanging');
    annotate('hanging', {
      'operatorframework.io/bundle-unpack-timeout': '12s',
      'operatorframework.io/bundle-unpack-min-retry-interval': '20s',
    });
    bench.subscribe('hanging', 'lighthouse-operator');
    await bench.observe('hanging');
    bench.registry.failNext({ hang: 'before', times: 1, path: /manifests/ });
    const { againAfterMs } = await bench.pass('hanging', 100);
    expect(againAfterMs).toBeGreaterThan(10_000);
    expect(condition('hanging', 'BundleUnpacking')).toMatchObject({
      status: 'True',
      reason: 'UnpackingInProgress',
      message: `fetching ${LIGHTHOUSE}`,
    });
    await until(async () => {
      await bench.pass('hanging', 100);
      return condition('hanging', 'BundleUnpackFailed') !== undefined;
    });
    expect(condition('hanging', 'BundleUnpacking')).toBeUndefined();
    const message = condition('hanging', 'BundleUnpackFailed')?.message;
    expect(message).toMatch(/^Bundle unpacking failed - DeadlineExceeded: .* within 12 s/);
    expect(failures('hanging')).toEqual([['lighthouse-operator', message]]);
    bench.later(30_000);
    await bench.installed('hanging', LIGHTHOUSE);
    expect(condition('hanging', 'BundleUnpackFailed')).toBeUndefined();
  });

  it('a cluster that takes no InstallPlan: its own words, and another try after a pause', async () => {
    bench.namespace('closed');
    bench.subscribe('closed', 'lighthouse-operator');
    await bench.observe('closed');
    const said = 'admission webhook "quiet-hours" denied the request: no changes on Sundays';
    bench.cluster.failNext({ verb: 'create', resource: 'installplans', namespace: 'closed' }, 403, 'Forbidden', said);
    const { againAfterMs } = await bench.pass('closed');
    expect(condition('closed', 'BundleUnpackFailed')).toMatchObject({
      reason: 'EnsureInstallPlanFailed',
      message: `error ensuring InstallPlan: ${said}`,
    });
    expect(againAfterMs).toBeGreaterThan(5_000);
    bench.later(20_000);
    await bench.installed('closed', LIGHTHOUSE);
  });

  it('with isolation, a bundle that cannot be fetched stops no other Subscription, and only its own says so', async () => {
    await offer(bench, 'absent', [{ version: '1.0.0', objects: [] }]);
    bench.namespace('apart');
    annotate('apart', { 'flotilla.dev/resolution-isolation': 'true' });
    bench.subscribe('apart', 'absent');
    bench.subscribe('apart', 'lighthouse-operator');
    bench.registry.failNext({ status: 404, times: 100, path: /made\/absent/ });
    await bench.installed('apart', LIGHTHOUSE);
    await bench.pass('apart');
    expect(condition('apart', 'BundleUnpackFailed', 'lighthouse-operator')).toBeUndefined();
    bench.later(20_000);
    await bench.observe('apart');
    await bench.pass('apart');
    expect(condition('apart', 'BundleUnpackFailed', 'absent')?.message).toMatch(/made\/absent/);
  });
});
