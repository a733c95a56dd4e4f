import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RETRY_ANNOTATION } from '#core/classic/install-plan/execution/step-install-plan';
import { InstallPlan } from '#core/kernel/api/install-plan';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { ApplierBench } from './applier-support/applier-bench.js';
import { madeCrd, offer } from './applier-support/made-operator.js';

const V1ALPHA1 = 'operators.coreos.com/v1alpha1';
const PLAN = { apiVersion: V1ALPHA1, kind: 'InstallPlan' } as const;

describe('a failed InstallPlan has a way on', () => {
  let bench: ApplierBench;
  beforeAll(async () => {
    bench = await ApplierBench.start();
  });
  afterAll(() => bench.stop());

  const plans = (namespace: string) =>
    bench.cluster
      .list({ ...PLAN, namespace })
      .map((plan) => InstallPlan.parse(plan))
      .toSorted((a, b) => (a.spec.generation ?? 0) - (b.spec.generation ?? 0));
  const newest = (namespace: string) => plans(namespace).at(-1);
  const events = (namespace: string, reason: string) =>
    bench.cluster
      .list({ apiVersion: 'v1', kind: 'Event', namespace })
      .filter((event) => event['reason'] === reason)
      .map((event) => event['message']);

  async function failed(namespace: string): Promise<void> {
    await bench.settle(namespace, () => newest(namespace)?.status?.message !== undefined);
    bench.later(20_000); // beyond the retry timeout at the second try
    await bench.settle(namespace, () => newest(namespace)?.status?.phase === 'Failed');
  }

  const retry = (namespace: string, value: 'true' | 'replan') =>
    bench.cluster.edit({ ...PLAN, namespace, name: newest(namespace)?.metadata.name ?? '' }, ({ metadata }) => {
      metadata.annotations = { ...metadata.annotations, [RETRY_ANNOTATION]: value };
    });

  /** Version 1.0.0 takes any size, version 1.1.0 sizes up to 5. */
  async function refusedUpgrade(name: string): Promise<Readonly<{ crd: string; group: string }>> {
    const group = `${name}.example.com`;
    const sized = (maximum?: number) =>
      madeCrd({ kind: 'Bolt', group }, [
        {
          name: 'v1',
          storage: true,
          properties: { size: { type: 'integer', ...(maximum === undefined ? {} : { maximum }) } },
        },
      ]);
    const first = { version: '1.0.0', objects: [sized()] };
    await offer(bench, name, [first]);
    bench.namespace(name);
    bench.subscribe(name, name);
    await bench.installed(name, `${name}.v1.0.0`);
    bench.cluster.create({
      apiVersion: `${group}/v1`,
      kind: 'Bolt',
      metadata: { name: 'big', namespace: name },
      spec: { size: 7 },
    });
    await offer(bench, name, [first, { version: '1.1.0', replaces: '1.0.0', objects: [sized(5)] }]);
    await failed(name);
    expect(newest(name)?.status?.message).toContain('updated validation is too restrictive');
    expect(bench.describe(name)).toBe(`${name}.v1.0.0 Replacing, ${name}.v1.1.0 Pending`);
    return { crd: `bolts.${group}`, group };
  }

  it('goes on by itself once the custom resource that a tightened CRD refused is gone', async () => {
    const { group } = await refusedUpgrade('bolt');
    const plan = newest('bolt')?.metadata.name;
    bench.later(600_000);
    await bench.settle('bolt', () => true);
    expect(newest('bolt')?.status?.phase, 'while the cause is there').toBe('Failed');

    await bench.cluster.delete({ apiVersion: `${group}/v1`, kind: 'Bolt', name: 'big', namespace: 'bolt' });
    const outcome = await bench.pass('bolt');
    expect(outcome.rounds, 'the check is due').toBeGreaterThan(1);
    await bench.installed('bolt', 'bolt.v1.1.0');
    expect(newest('bolt')?.metadata.name, 'the same plan').toBe(plan);
    expect(newest('bolt')?.status).toMatchObject({
      phase: 'Complete',
      conditions: [{ type: 'Installed', status: 'True' }],
    });
  });

  it('runs at once when a user asks for it; asking twice changes nothing', async () => {
    const { group } = await refusedUpgrade('nut');
    await bench.cluster.delete({ apiVersion: `${group}/v1`, kind: 'Bolt', name: 'big', namespace: 'nut' });
    retry('nut', 'true');
    await bench.installed('nut', 'nut.v1.1.0');
    expect(newest('nut')?.metadata.annotations).not.toHaveProperty(RETRY_ANNOTATION);
    expect(events('nut', 'RetryRequested')).toHaveLength(1);
    retry('nut', 'true');
    await bench.settle('nut', () => true);
    expect(newest('nut')?.status?.phase).toBe('Complete');
    expect(newest('nut')?.metadata.annotations).not.toHaveProperty(RETRY_ANNOTATION);
  });

  it('is made anew over the running predecessor: from the start, to Succeeded, and the predecessor runs meanwhile', async () => {
    const { group } = await refusedUpgrade('rivet');
    const failedPlan = newest('rivet')?.metadata.name;
    await bench.cluster.delete({ apiVersion: `${group}/v1`, kind: 'Bolt', name: 'big', namespace: 'rivet' });
    retry('rivet', 'replan');
    bench.cluster.requests.clear();
    await bench.installed('rivet', 'rivet.v1.1.0');
    const deleted = bench.cluster.requests.filter(({ verb }) => verb === 'delete').map(({ name }) => name);
    expect(deleted.slice(0, 2)).toEqual(['rivet.v1.1.0', failedPlan]);
    expect(plans('rivet').map(({ metadata }) => metadata.name)).not.toContain(failedPlan);
    expect(bench.subscriptions('rivet')[0]?.status).toMatchObject({
      installedCSV: 'rivet.v1.1.0',
      state: 'AtLatestKnown',
    });
  });

  const budget = (apiVersion: string): KubernetesObject => ({
    apiVersion,
    kind: 'PodDisruptionBudget',
    metadata: { name: 'budget' },
    spec: { minAvailable: 1, selector: { matchLabels: { app: 'x' } } },
  });
  const crdOf = (name: string) =>
    madeCrd({ kind: 'Part', group: `${name}.example.com` }, [{ name: 'v1', storage: true }]);

  it('a first install with a kind that is not served is made anew from the content that the catalog has by then', async () => {
    await offer(bench, 'clip', [{ version: '1.0.0', objects: [budget('policy/v1beta1'), crdOf('clip')] }]);
    bench.namespace('clip');
    bench.subscribe('clip', 'clip');
    await failed('clip');
    expect(newest('clip')?.status?.message).toContain(
      'of bundle clip.v1.0.0: this cluster does not serve policy/v1beta1',
    );
    await offer(bench, 'clip', [{ version: '1.0.0', objects: [budget('policy/v1'), crdOf('clip')] }]);
    retry('clip', 'replan');
    await bench.installed('clip', 'clip.v1.0.0');
    expect(newest('clip')?.status?.phase).toBe('Complete');
    expect(
      bench.cluster.get({ apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', name: 'budget', namespace: 'clip' }),
    ).toBeDefined();
  });

  /** A plan with it fails after its ClusterServiceVersion was made: only built-in kinds are known before. */
  const monitor: KubernetesObject = {
    ...{ apiVersion: 'monitoring.coreos.com/v1', kind: 'ServiceMonitor', metadata: { name: 'monitor' } },
    spec: { endpoints: [], selector: {} },
  };

  it('a first install with a kind that is not served gives way to a newer version of the catalog', async () => {
    const broken = { version: '1.0.0', objects: [monitor, crdOf('hook')] };
    await offer(bench, 'hook', [broken]);
    bench.namespace('hook');
    bench.subscribe('hook', 'hook');
    await failed('hook');
    await offer(bench, 'hook', [
      broken,
      { version: '1.0.1', replaces: '1.0.0', objects: [budget('policy/v1'), crdOf('hook')] },
    ]);
    retry('hook', 'replan');
    await bench.installed('hook', 'hook.v1.0.1');
  });

  it('is not made anew where that would delete an operator that runs: an Event says so', async () => {
    await offer(bench, 'cog', [{ version: '1.0.0', objects: [monitor] }]);
    bench.namespace('cog');
    bench.subscribe('cog', 'cog');
    await failed('cog');
    bench.cluster.create({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'cog', namespace: 'cog', labels: { 'olm.owner': 'cog.v1.0.0' } },
      spec: {
        selector: { matchLabels: { app: 'cog' } },
        template: { metadata: { labels: { app: 'cog' } }, spec: { containers: [{ name: 'cog', image: 'x' }] } },
      },
    });
    retry('cog', 'replan');
    await bench.settle('cog', () => newest('cog')?.metadata.annotations?.[RETRY_ANNOTATION] === undefined);
    expect(newest('cog')?.status?.phase).toBe('Failed');
    expect(events('cog', 'RetryRefused')).toEqual([
      expect.stringContaining('ClusterServiceVersion cog.v1.0.0 is installed or has a Deployment'),
    ]);
    expect(bench.describe('cog')).toContain('cog.v1.0.0');
  });
});
