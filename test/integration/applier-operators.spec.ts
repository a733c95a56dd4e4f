import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApplierBench } from './applier-support/applier-bench.js';

const SUBSCRIPTION = {
  apiVersion: 'operators.coreos.com/v1alpha1',
  kind: 'Subscription',
  namespace: 'lights',
} as const;
const LIGHTHOUSE = 'lighthouse-operator.v1.0.0';

describe('the Operator object of a package', () => {
  let bench: ApplierBench;
  beforeAll(async () => {
    bench = await ApplierBench.start();
    bench.namespace('lights');
    bench.subscribe('lights', 'lighthouse-operator');
    await bench.installed('lights', LIGHTHOUSE);
  });
  afterAll(() => bench.stop());

  type Refs = readonly Readonly<{ kind: string; name: string }>[];
  const refs = () => {
    const operator = { apiVersion: 'operators.coreos.com/v1', kind: 'Operator', name: 'lighthouse-operator.lights' };
    const status = bench.cluster.get(operator)?.['status'] as { components: { refs: Refs } } | undefined;
    return (status?.components.refs ?? []).map(({ kind, name }) => `${kind} ${name}`);
  };
  const subscribe = (name: string) =>
    bench.cluster.create({
      apiVersion: SUBSCRIPTION.apiVersion,
      kind: SUBSCRIPTION.kind,
      metadata: { name, namespace: 'lights' },
      spec: { name: 'lighthouse-operator', channel: 'stable', source: 'samples', sourceNamespace: 'olm' },
    });
  const atRest = async () => {
    await bench.settle('lights', () => true);
    bench.cluster.requests.clear();
    await bench.pass('lights');
    return bench.cluster.requests.writes();
  };
  const parts = () => refs().filter((ref) => !/^(Subscription|InstallPlan) /.test(ref));

  it('names two Subscriptions of the package, and the plan of the first: all comes to rest', async () => {
    const before = refs();
    subscribe('second');
    expect(await atRest()).toEqual([]);
    expect(refs()).toEqual([...before, 'Subscription second'].toSorted());
  });

  it('keeps the parts of what is installed when a Subscription is deleted and made anew', async () => {
    const before = parts();
    expect(before.length).toBeGreaterThan(4);
    for (const name of ['lighthouse-operator', 'second']) bench.cluster.delete({ ...SUBSCRIPTION, name });
    await bench.settle('lights', () => true);
    subscribe('third');
    expect(await atRest()).toEqual([]);
    expect(parts()).toEqual(before);
    expect(refs()).toContain('Subscription third');
  });

  it('names what a CSV makes anew, also where no Subscription calls it installed', async () => {
    const [made] = parts().filter((ref) => ref.startsWith('Deployment '));
    const name = made?.split(' ')[1] ?? '';
    const deployment = { apiVersion: 'apps/v1', kind: 'Deployment', name, namespace: 'lights' };
    const before = bench.cluster.get(deployment)?.metadata.uid;
    bench.cluster.delete(deployment);
    await bench.settle('lights', () => {
      const uid = bench.cluster.get(deployment)?.metadata.uid;
      return uid !== undefined && uid !== before && parts().includes(`Deployment ${name}`);
    });
    expect(await atRest()).toEqual([]);
  });

  it('is made for labelled parts, also where the Subscription went before there was one', async () => {
    const before = parts();
    for (const { metadata } of bench.cluster.list(SUBSCRIPTION)) {
      bench.cluster.delete({ ...SUBSCRIPTION, name: metadata.name });
    }
    bench.cluster.delete({
      apiVersion: 'operators.coreos.com/v1',
      kind: 'Operator',
      name: 'lighthouse-operator.lights',
    });
    await bench.settle('lights', () => parts().length > 0);
    expect(await atRest()).toEqual([]);
    expect(parts()).toEqual(before);
  });

  it('names no CRD any more that is deleted after its operator', async () => {
    const csv = { apiVersion: 'operators.coreos.com/v1alpha1', kind: 'ClusterServiceVersion', namespace: 'lights' };
    bench.cluster.delete({ ...csv, name: LIGHTHOUSE });
    await bench.settle('lights', () => parts().every((ref) => ref.startsWith('CustomResourceDefinition ')));
    const [crd = ''] = parts();
    const [kind = '', name = ''] = crd.split(' ');
    bench.cluster.delete({ apiVersion: 'apiextensions.k8s.io/v1', kind, name });
    await bench.settle('lights', () => parts().length === 0);
  });
});
