import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Refusal } from '#testing/cluster/objects/refusal';
import { ClassicCluster, objectOf, refTo } from '../classic-cluster.fixture.js';
import { copiesStage } from './copies.stage.js';
import { inPhase, lampCsv, SUCCEEDED } from './csvs.fixture.js';

let at: ClassicCluster;
beforeEach(async () => {
  at = await ClassicCluster.start();
});
afterEach(() => at.stop());

const CSV = 'ClusterServiceVersion';
const stage = copiesStage({ protectedNamespaces: ['vault'] });
const pass = (reads?: ReturnType<ClassicCluster['laggingReads']>) =>
  at.pass('home', [stage], reads === undefined ? {} : { reads });
/** `Phase Reason` of each copy, by namespace. */
const copies = (name = 'lamp.v1') =>
  Object.fromEntries(
    at.names(CSV).flatMap((found) => {
      const [namespace = '', csv = ''] = found.split('/');
      const copy = at.csv(namespace, csv);
      const isCopy = copy?.metadata.labels?.['olm.copiedFrom'] === 'home' && csv === name;
      return isCopy ? [[namespace, `${copy.status?.phase} ${copy.status?.reason}`]] : [];
    }),
  );
const OURS = 'Succeeded Copied';
const original = (parts: Parameters<typeof lampCsv>[2] = {}) =>
  at.put(lampCsv('home', 'lamp.v1', { status: SUCCEEDED, ...parts }));
const places = (...names: readonly string[]) => {
  for (const name of names) at.put(objectOf('Namespace', name));
};
async function atRest(): Promise<void> {
  at.writes();
  expect(await pass()).toEqual({ rounds: 1, result: 'done' });
  expect(at.writes()).toEqual([]);
}

describe('csv-lifecycle.md §10: where copies are', () => {
  it.each([
    { targets: ['home'], into: [], because: 'its own namespace only' },
    { targets: ['home', 'hall', 'ghost'], into: ['hall'], because: 'a target that does not exist gets its copy later' },
    { targets: ['hall'], into: ['hall'], because: 'a group that watches another namespace alone' },
  ])('targets $targets: copies in $into, $because', async ({ targets, into }) => {
    places('hall', 'vault');
    at.namespace('home', { targetNamespaces: targets });
    original();
    expect(await pass()).toMatchObject({ result: 'done' });
    expect(copies()).toEqual(Object.fromEntries(into.map((name) => [name, OURS])));
    await atRest();
  });

  it('a global group: everywhere but at home, and not in a namespace that is being deleted', async () => {
    places('hall');
    at.put(objectOf('Namespace', 'going', undefined, { metadata: { finalizers: ['kept/by-a-test'] } }));
    at.put(objectOf('ConfigMap', 'kept', 'going', { metadata: { finalizers: ['kept/by-a-test'] } }));
    at.cluster.delete(refTo('Namespace', 'going'));
    at.namespace('home', {});
    original();
    await pass();
    expect(Object.keys(copies())).toEqual(
      ['default', 'hall', 'kube-node-lease', 'kube-public', 'kube-system', 'olm'].toSorted(),
    );
    await atRest();
  });

  it('a namespace with a CSV of its own of that name keeps it', async () => {
    places('hall');
    at.put(lampCsv('hall', 'lamp.v1', { spec: { displayName: 'Of the hall' }, status: SUCCEEDED }));
    at.namespace('home', { targetNamespaces: ['home', 'hall'] });
    original();
    await pass();
    expect(at.csv('hall', 'lamp.v1')?.spec.displayName).toBe('Of the hall');
    expect(copies()).toEqual({});
  });

  it.each([
    ['', ''],
    ['Failed', 'UnsupportedOperatorGroup'],
    ['Failed', 'NoTargetNamespaces'],
    ['Failed', 'InterOperatorGroupOwnerConflict'],
  ])('a CSV in %s %s is not copied', async (phase, reason) => {
    places('hall');
    at.namespace('home', { targetNamespaces: ['home', 'hall'] });
    original({ status: inPhase(phase, reason) });
    await pass();
    expect(copies()).toEqual({});
  });

  it('two groups in the namespace: nothing is copied', async () => {
    places('hall');
    at.namespace('home', { targetNamespaces: ['home', 'hall'] });
    at.put(objectOf('OperatorGroup', 'second', 'home', { spec: {} }));
    original();
    await pass();
    expect(copies()).toEqual({});
  });
});

describe('csv-lifecycle.md §10: what a copy has, and how long', () => {
  beforeEach(() => {
    places('hall', 'attic');
    at.namespace('home', { targetNamespaces: ['home', 'hall', 'attic'] });
  });
  const edit = (namespace: string, change: (csv: { spec: Record<string, unknown> }) => void) =>
    at.cluster.edit(refTo(CSV, 'lamp.v1', namespace), (live) => change(live as never));

  it('spec, labels and annotations of the original, and what says that it is a copy', async () => {
    const labels = { team: 'light', 'operators.coreos.com/lamp.home': '' };
    const annotations = {
      'olm.operatorGroup': 'home-group',
      'olm.operatorNamespace': 'home',
      'olm.targetNamespaces': 'attic,hall,home',
      'kubectl.kubernetes.io/last-applied-configuration': '{}',
      shade: 'green',
    };
    original({ metadata: { labels, annotations } });
    await pass();
    const copy = at.csv('hall', 'lamp.v1');
    expect(copy?.spec).toEqual(at.csv('home', 'lamp.v1')?.spec);
    expect(copy?.metadata.labels).toEqual({ team: 'light', 'olm.copiedFrom': 'home' });
    expect(copy?.metadata.annotations).toEqual({
      'olm.operatorGroup': 'home-group',
      'olm.operatorNamespace': 'home',
      shade: 'green',
    });
    expect(copy?.status).toMatchObject({
      phase: 'Succeeded',
      reason: 'Copied',
      message: 'The operator is running in home but is managing this namespace',
    });
  });

  it('follows its original, and comes back where it was edited or deleted', async () => {
    original();
    await pass();
    edit('hall', ({ spec }) => Object.assign(spec, { displayName: 'Edited' }));
    at.cluster.delete(refTo(CSV, 'lamp.v1', 'attic'));
    await pass();
    expect(at.csv('hall', 'lamp.v1')?.spec.displayName).toBe('Lamp');
    expect(copies()).toEqual({ attic: OURS, hall: OURS });
    edit('home', ({ spec }) => Object.assign(spec, { displayName: 'Lantern' }));
    at.cluster.edit(
      refTo(CSV, 'lamp.v1', 'home'),
      (live) => Object.assign(live, { status: inPhase('Failed', 'ComponentUnhealthy') }),
      'status',
    );
    await pass();
    expect(at.csv('hall', 'lamp.v1')).toMatchObject({
      spec: { displayName: 'Lantern' },
      status: { phase: 'Failed', reason: 'Copied' },
    });
    await atRest();
  });

  it('goes where the group no longer selects, and with its original', async () => {
    original();
    await pass();
    const narrowed = (namespaces: readonly string[]) =>
      at.cluster.edit(
        refTo('OperatorGroup', 'home-group', 'home'),
        (live) => Object.assign(live['status'] as object, { namespaces }),
        'status',
      );
    narrowed(['home', 'hall']);
    await pass();
    expect(copies()).toEqual({ hall: OURS });
    at.cluster.delete(refTo(CSV, 'lamp.v1', 'home'));
    await pass();
    expect(copies()).toEqual({});
  });

  it('is not deleted because a cache has not seen its original yet', async () => {
    original();
    await pass();
    const { metadata } = at.csv('home', 'lamp.v1') ?? {};
    at.cluster.delete(refTo(CSV, 'lamp.v1', 'home'));
    const reads = at.laggingReads();
    original();
    await pass(reads);
    expect(copies()).toEqual({ attic: OURS, hall: OURS });
    expect(metadata?.uid).not.toBe(at.csv('home', 'lamp.v1')?.metadata.uid);
  });

  it('stays where it was made an operator of its namespace, which a cache has not seen yet', async () => {
    original();
    await pass();
    at.cluster.delete(refTo(CSV, 'lamp.v1', 'home'));
    const reads = at.laggingReads();
    at.cluster.edit(refTo(CSV, 'lamp.v1', 'hall'), (live) => {
      live.metadata.labels = {};
      Object.assign(live['spec'] as object, { displayName: 'Of the hall' });
    });
    await pass(reads);
    expect(at.names(CSV)).toEqual(['hall/lamp.v1']);
  });

  it('§6: brings the Roles of the operator along, with the same rules, owned by the copy', async () => {
    original();
    const labels = { 'olm.owner': 'lamp.v1', 'olm.owner.namespace': 'home', 'olm.owner.kind': CSV };
    const rules = [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }];
    at.put(objectOf('Role', 'lamp', 'home', { metadata: { labels }, rules }));
    at.put(objectOf('Role', 'of-a-user', 'home', { rules }));
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'lamp' };
    at.put(
      objectOf('RoleBinding', 'lamp', 'home', {
        metadata: { labels },
        roleRef,
        subjects: [{ kind: 'ServiceAccount', name: 'lamp', namespace: 'home' }],
      }),
    );
    await pass();
    expect(at.names('Role', 'hall')).toEqual(['hall/lamp']);
    expect(at.names('RoleBinding', 'hall')).toEqual(['hall/lamp']);
    const role = at.get(refTo('Role', 'lamp', 'hall'));
    expect(role).toMatchObject({
      rules,
      metadata: { ownerReferences: [{ uid: at.csv('hall', 'lamp.v1')?.metadata.uid }] },
    });
    at.cluster.edit(refTo('Role', 'lamp', 'home'), (live) => Object.assign(live, { rules: [] }));
    await pass();
    expect(at.get(refTo('Role', 'lamp', 'hall'))?.['rules'] ?? []).toEqual([]);
    await atRest();
  });
});

describe('a copy that the API server refuses', () => {
  beforeEach(() => {
    places('attic', 'hall');
    at.namespace('home', { targetNamespaces: ['home', 'hall', 'attic'] });
    original();
  });
  const fail = (message: string, status = 403, reason = 'Forbidden') =>
    at.cluster.failNext(
      { verb: 'create', resource: 'clusterserviceversions', namespace: 'attic' },
      status,
      reason,
      message,
    );

  it('because its namespace is being deleted: no refusal, and the others get theirs', async () => {
    fail('unable to create new content in namespace attic because it is being terminated');
    at.cluster.failNext(
      { verb: 'create', resource: 'clusterserviceversions', namespace: 'attic' },
      403,
      'Forbidden',
      'unable to create new content in namespace attic because it is being terminated',
    );
    at.cluster.failNext(
      { verb: 'create', resource: 'clusterserviceversions', namespace: 'attic' },
      403,
      'Forbidden',
      'unable to create new content in namespace attic because it is being terminated',
    );
    expect(await pass()).toMatchObject({ result: 'done' });
    expect(copies()).toEqual({ hall: OURS });
  });

  it('because a webhook denies it: the others get theirs, and the pass ends as refused', async () => {
    for (let tries = 0; tries < 4; tries += 1) fail('denied by a webhook');
    expect(await pass()).toMatchObject({ result: 'refused', error: { said: 'denied by a webhook' } });
    expect(copies()).toEqual({ hall: OURS });
  });

  it('is no reason to keep another one whose original is gone', async () => {
    await pass();
    at.cluster.delete(refTo(CSV, 'lamp.v1', 'home'));
    at.cluster.failAll({ verb: 'delete', namespace: 'attic' }, new Refusal(403, 'Forbidden', 'denied by a webhook'));
    expect(await pass()).toMatchObject({ result: 'refused', error: { said: 'denied by a webhook' } });
    expect(copies()).toEqual({ attic: OURS });
  });

  it('because it is away: the pass fails, and the next one makes what is missing', async () => {
    at.cluster.lossOf = ({ verb, namespace }) => (verb === 'create' && namespace === 'hall' ? 'request' : undefined);
    expect(await pass()).toMatchObject({ result: 'failed', error: { status: 0 } });
    at.cluster.lossOf = () => undefined;
    await pass();
    expect(copies()).toEqual({ attic: OURS, hall: OURS });
  });
});
