import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { InstallPlan } from '#core/kernel/api/install-plan';
import { ApplierBench } from './applier-support/applier-bench.js';
import { offer } from './applier-support/made-operator.js';

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

  it('keeps the plan of each Subscription until it is approved, however many there are', async () => {
    const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((letter) => `boat-${letter}`);
    for (const name of names) await offer(bench, name, [{ version: '1.0.0', objects: [] }]);
    isolated('many');
    for (const name of names) bench.subscribe('many', name, 'Manual');
    await bench.settle('many', () => plans('many').length === names.length);
    const waiting = plans('many').map(({ metadata, spec }) => `${metadata.name} ${spec.clusterServiceVersionNames}`);
    await bench.observe('many');
    await bench.pass('many');
    expect(plans('many').map(({ metadata, spec }) => `${metadata.name} ${spec.clusterServiceVersionNames}`)).toEqual(
      waiting,
    );
    expect(
      plans('many')
        .map(({ spec }) => spec.clusterServiceVersionNames.join())
        .sort(),
    ).toEqual(names.map((name) => `${name}.v1.0.0`));
    const [approved] = plans('many');
    bench.cluster.edit({ ...PLAN, namespace: 'many', name: approved?.metadata.name ?? '' }, (plan) => {
      Object.assign(plan['spec'] as object, { approved: true });
    });
    await bench.settle('many', () => bench.csvs('many').length > 0);
    expect(bench.csvs('many').map(({ metadata }) => metadata.name)).toEqual(approved?.spec.clusterServiceVersionNames);
    expect(plans('many'), 'nor does a finished one go while its Subscription refers to it').toHaveLength(names.length);
  });
});
