import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApplierBench } from './applier-support/applier-bench.js';

const CSV = { apiVersion: 'operators.coreos.com/v1alpha1', kind: 'ClusterServiceVersion' } as const;
const GROUP = { apiVersion: 'operators.coreos.com/v1', kind: 'OperatorGroup' } as const;
const CONFIG = { apiVersion: 'operators.coreos.com/v1', kind: 'OLMConfig', name: 'cluster' } as const;
const LIGHTHOUSE = 'lighthouse-operator.v1.0.0';

describe('copies of a ClusterServiceVersion', () => {
  let bench: ApplierBench;
  beforeAll(async () => {
    bench = await ApplierBench.start({ protectedCopiedCsvNamespaces: ['default'] });
    bench.cluster.create({ ...CONFIG, metadata: { name: CONFIG.name }, spec: {} });
    bench.namespace('lights', 'all');
    bench.subscribe('lights', 'lighthouse-operator');
    await bench.installed('lights', LIGHTHOUSE);
  });
  afterAll(() => bench.stop());

  const copies = (of = 'lights') =>
    bench
      .csvs()
      .filter(({ metadata }) => metadata.labels?.['olm.copiedFrom'] === of)
      .map(({ metadata, status }) => `${metadata.namespace} ${status?.phase} ${status?.reason}`)
      .sort();
  const everywhere = () =>
    bench.cluster
      .list({ apiVersion: 'v1', kind: 'Namespace' })
      .map(({ metadata }) => metadata.name)
      .filter((name) => name !== 'lights')
      .map((name) => `${name} Succeeded Copied`)
      .sort();
  const switched = (off: boolean) =>
    bench.cluster.edit(CONFIG, (object) => Object.assign(object, { spec: { features: { disableCopiedCSVs: off } } }));
  const condition = () => JSON.stringify(bench.cluster.get(CONFIG)?.['status']);
  const events = () =>
    bench.cluster
      .list({ apiVersion: 'v1', kind: 'Event', namespace: 'lights' })
      .filter((event) => event['reason'] === 'DisabledCopiedCSVs')
      .map((event) => `${event['count']} ${event['message']}`);

  it('are in every namespace that the group selects, which the OLMConfig says', () => {
    expect(everywhere().length).toBeGreaterThan(2);
    expect(copies()).toEqual(everywhere());
    expect(condition()).toContain('Copied CSVs are enabled and present across the cluster');
  });

  it('come back when they were edited or deleted, and come to a new namespace', async () => {
    bench.cluster.delete({ ...CSV, name: LIGHTHOUSE, namespace: 'olm' });
    bench.cluster.edit({ ...CSV, name: LIGHTHOUSE, namespace: 'default' }, (copy) => {
      Object.assign(copy['spec'] as object, { displayName: 'Edited' });
    });
    bench.cluster.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'late' } });
    await bench.settle('lights', () => copies().length === everywhere().length);
    expect(copies()).toEqual(everywhere());
    const edited = bench.csvs('default').map(({ spec }) => spec['displayName']);
    expect(edited).not.toContain('Edited');
  });

  it('are no matter for warnings in a namespace that is being deleted, and come to the others', async () => {
    for (const name of ['going', 'staying']) {
      bench.cluster.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
    }
    bench.cluster.failNext(
      { verb: 'create', resource: 'clusterserviceversions', namespace: 'going' },
      403,
      'Forbidden',
      'unable to create new content in namespace going because it is being terminated',
    );
    await expect(bench.pass('lights')).resolves.toMatchObject({ rounds: expect.any(Number) });
    expect(copies()).toContain('staying Succeeded Copied');
    bench.cluster.failNext(
      { verb: 'create', resource: 'clusterserviceversions', namespace: 'default' },
      403,
      'Forbidden',
      'denied by a webhook',
    );
    for (const namespace of ['default', 'staying']) bench.cluster.delete({ ...CSV, name: LIGHTHOUSE, namespace });
    await bench.settle('lights', () => copies().length === everywhere().length);
  });

  it('go when the OLMConfig says so, but for protected namespaces; one event is emitted, and all is at rest', async () => {
    switched(true);
    await bench.settle('lights', () => copies().length === 1);
    expect(copies()).toEqual(['default Succeeded Copied']);
    expect(condition()).toContain('"status":"True"');
    expect(condition()).toContain('Copied CSVs are disabled and no unexpected copied CSVs were found');
    expect(events()).toEqual([`1 CSV copying disabled for lights/${LIGHTHOUSE}`]);
    bench.cluster.requests.clear();
    await bench.pass('lights');
    expect(bench.cluster.requests.writes()).toEqual([]);
    switched(false);
    await bench.settle('lights', () => copies().length === everywhere().length);
    expect(copies()).toEqual(everywhere());
  });

  it('go with the original', async () => {
    bench.cluster.delete({
      apiVersion: CSV.apiVersion,
      kind: 'Subscription',
      name: 'lighthouse-operator',
      namespace: 'lights',
    });
    bench.cluster.delete({ ...CSV, name: LIGHTHOUSE, namespace: 'lights' });
    await bench.settle('lights', () => bench.csvs('lights').length === 0);
    expect(copies()).toEqual([]);
  });

  it('bring rights with the label of the Operator object, which lists them, to a namespace that joins later', async () => {
    for (const name of ['first', 'joining']) {
      bench.cluster.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
    }
    bench.namespace('wide', ['wide', 'first']);
    bench.subscribe('wide', 'lighthouse-operator');
    await bench.installed('wide', LIGHTHOUSE);
    bench.cluster.edit({ ...GROUP, name: 'wide-group', namespace: 'wide' }, (group) => {
      Object.assign(group['spec'] as object, { targetNamespaces: ['wide', 'first', 'joining'] });
    });
    const rights = (namespace: string) =>
      ['Role', 'RoleBinding'].flatMap((kind) =>
        bench.cluster
          .list({ apiVersion: 'rbac.authorization.k8s.io/v1', kind, namespace })
          .filter(({ metadata }) => metadata.labels?.['olm.copiedFrom'] === 'wide'),
      );
    const operator = { apiVersion: 'operators.coreos.com/v1', kind: 'Operator', name: 'lighthouse-operator.wide' };
    const listed = () => {
      const status = bench.cluster.get(operator)?.['status'] as
        | { components: { refs: readonly { kind: string; name: string; namespace?: string }[] } }
        | undefined;
      const own = (status?.components.refs ?? []).filter(({ namespace }) => namespace === 'joining');
      return own.filter(({ kind }) => /^Role/.test(kind)).map(({ kind, name }) => `${kind} ${name}`);
    };
    const made = () => rights('joining').map(({ kind, metadata }) => `${kind} ${metadata.name}`);
    await bench.settle('wide', () => made().length > 1 && made().every((one) => listed().includes(one)));
    const label = 'operators.coreos.com/lighthouse-operator.wide';
    for (const { kind, metadata } of rights('joining')) expect(metadata.labels, kind).toHaveProperty([label]);
    expect(listed().toSorted()).toEqual(made().toSorted());
    // As in OLM's recordings: objects copied at the install are copied before the original has the label.
    for (const { kind, metadata } of rights('first')) expect(metadata.labels, kind).not.toHaveProperty([label]);
  });

  it('go when the group selects their namespace no longer', async () => {
    bench.cluster.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'other' } });
    bench.namespace('narrow', ['narrow', 'other']);
    bench.subscribe('narrow', 'lighthouse-operator');
    await bench.installed('narrow', LIGHTHOUSE);
    expect(copies('narrow')).toEqual(['other Succeeded Copied']);
    bench.cluster.edit({ ...GROUP, name: 'narrow-group', namespace: 'narrow' }, (group) => {
      Object.assign(group['spec'] as object, { targetNamespaces: ['narrow'] });
    });
    await bench.settle('narrow', () => copies('narrow').length === 0);
    expect(copies('narrow')).toEqual([]);
  });
});
