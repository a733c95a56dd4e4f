import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { InstallPlan } from '#core/api/install-plan';
import { ApplierBench } from './applier-support/applier-bench.js';

const GROUP = { apiVersion: 'operators.coreos.com/v1', kind: 'OperatorGroup' } as const;
const PLAN = { apiVersion: 'operators.coreos.com/v1alpha1', kind: 'InstallPlan' } as const;

describe('a namespace whose OperatorGroup asks for isolation', () => {
  let bench: ApplierBench;
  beforeAll(async () => {
    bench = await ApplierBench.start();
  });
  afterAll(() => bench.stop());

  const isolated = (namespace: string) => {
    bench.namespace(namespace);
    bench.cluster.edit({ ...GROUP, name: `${namespace}-group`, namespace }, ({ metadata }) => {
      metadata.annotations = { 'flotilla.dev/resolution-isolation': 'true' };
    });
  };
  const plans = (namespace: string) =>
    bench.cluster
      .list(PLAN)
      .filter(({ metadata }) => metadata.namespace === namespace)
      .map((plan) => InstallPlan.parse(plan));
  const failure = (namespace: string, name: string) =>
    bench
      .subscriptions(namespace)
      .find(({ metadata }) => metadata.name === name)
      ?.status?.conditions?.find(({ type }) => type === 'ResolutionFailed')?.message;

  it('installs what can be installed, without asking for approval of what it has nothing to do with', async () => {
    isolated('mixed');
    bench.subscribe('mixed', 'no-such-operator', 'Manual');
    bench.subscribe('mixed', 'lighthouse-operator');
    await bench.installed('mixed', 'lighthouse-operator.v1.0.0');
    expect(plans('mixed').map(({ spec }) => spec.approval)).toEqual(['Automatic']);
    expect(failure('mixed', 'no-such-operator')).toMatch(/no operators found in package no-such-operator/);
    expect(failure('mixed', 'lighthouse-operator')).toBeUndefined();
  });
});
