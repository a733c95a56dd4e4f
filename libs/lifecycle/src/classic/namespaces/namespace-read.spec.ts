import { afterEach, beforeEach, expect, it } from 'vitest';
import type { ObjectRef } from '#core/kernel/api/kubernetes-object';
import type { KindRef, ListOptions } from '#platform/kube/client/kube-client.port';
import { PassReader } from '../../engine/passes/pass-reader.js';
import { ClassicCluster, GLOBAL, objectOf, refTo } from '../classic-cluster.fixture.js';
import { type NamespaceRead, readNamespace } from './namespace-read.js';

let at: ClassicCluster;
beforeEach(async () => {
  at = await ClassicCluster.start();
  for (const name of ['shop', 'mill', 'olm']) {
    if (name !== GLOBAL) at.namespace(name);
    for (const letter of ['b', 'a']) {
      const where = `${letter}-of-${name}`;
      at.put(
        objectOf('CatalogSource', where, name, { spec: { sourceType: 'grpc', image: 'registry.example/shelf:1' } }),
      );
      at.put(objectOf('Subscription', where, name, { spec: { name: letter, source: 's', sourceNamespace: 'olm' } }));
      at.put(
        objectOf('InstallPlan', where, name, {
          spec: { approval: 'Automatic', approved: true, clusterServiceVersionNames: [] },
        }),
      );
      at.put(
        objectOf('ClusterServiceVersion', where, name, {
          spec: { displayName: letter, install: { strategy: 'deployment' } },
        }),
      );
    }
  }
});
afterEach(() => at.stop());

const read = (namespace: string) => readNamespace(new PassReader(at.client), namespace, GLOBAL);
const names = (objects: NamespaceRead['csvs' | 'catalogSources' | 'operatorGroups']) =>
  objects.map(({ metadata }) => metadata.name);

it.each(['subscriptions', 'installPlans', 'csvs'] as const)(
  '%s are those of the namespace, sorted by name',
  async (list) => {
    const found = (await read('shop'))[list];
    expect(found.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`)).toEqual([
      'shop/a-of-shop',
      'shop/b-of-shop',
    ]);
  },
);

it('a namespace sees its own catalogs and the global ones, not those of others (classic-resolution.md §1)', async () => {
  expect(names((await read('shop')).catalogSources)).toEqual(['a-of-shop', 'b-of-shop', 'a-of-olm', 'b-of-olm']);
});

it('the global namespace sees each of its catalogs once', async () => {
  expect(names((await read(GLOBAL)).catalogSources)).toEqual(['a-of-olm', 'b-of-olm']);
});

it('groups of other namespaces are apart from its own: they may have APIs in common', async () => {
  const { operatorGroups, otherOperatorGroups } = await read('shop');
  expect([names(operatorGroups), names(otherOperatorGroups)]).toEqual([['shop-group'], ['mill-group']]);
});

it('objects have their apiVersion and kind, which lists leave out', async () => {
  const { csvs, operatorGroups } = await read('shop');
  expect(csvs[0]).toMatchObject({ apiVersion: 'operators.coreos.com/v1alpha1', kind: 'ClusterServiceVersion' });
  expect(operatorGroups[0]).toMatchObject({ apiVersion: 'operators.coreos.com/v1', kind: 'OperatorGroup' });
});

it('costs one request for each list, and none for what the pass has read already', async () => {
  const reader = new PassReader(at.client);
  await readNamespace(reader, 'shop', GLOBAL);
  const lists = at.asked().filter(({ verb }) => verb === 'list');
  expect(lists.map(({ resource, namespace = '*' }) => `${namespace} ${resource}`).sort()).toEqual([
    '* operatorgroups',
    'olm catalogsources',
    'shop catalogsources',
    'shop clusterserviceversions',
    'shop installplans',
    'shop subscriptions',
  ]);
  await readNamespace(reader, 'shop', GLOBAL);
  expect(at.asked()).toEqual([]);
});

it('a CSV that is being deleted is there as long as a finalizer holds it', async () => {
  const csv = (name: string, finalizers: string[]) =>
    objectOf('ClusterServiceVersion', name, 'shop', {
      metadata: { deletionTimestamp: '2026-01-01T00:00:00Z', finalizers },
      spec: {},
    });
  const cache = {
    get: () => undefined,
    list: ({ kind }: KindRef) => (kind === 'ClusterServiceVersion' ? [csv('gone', []), csv('held', ['x/y'])] : []),
    noteWritten: () => undefined,
    noteDeleted: () => undefined,
  };
  const { client } = at;
  const reads = {
    get: (ref: ObjectRef) => client.get(ref),
    list: (kind: KindRef, options: ListOptions) => client.list(kind, options),
    serverVersion: () => client.serverVersion(),
    cache,
  };
  expect(names((await readNamespace(new PassReader(reads), 'shop', GLOBAL)).csvs)).toEqual(['held']);
});

it('an API server that is away is an error, and not an empty namespace', async () => {
  at.cutOff(true);
  await expect(read('shop')).rejects.toMatchObject({ code: 'KubeApiError', status: 0 });
});

it('a cluster without the definitions of OLM is an empty namespace', async () => {
  for (const name of at.names('CustomResourceDefinition')) at.cluster.delete(refTo('CustomResourceDefinition', name));
  const reader = new PassReader({
    ...at.client,
    list: async () => undefined,
    get: async () => undefined,
    serverVersion: async () => 'v1.34.4',
  });
  expect(await readNamespace(reader, 'shop', GLOBAL)).toMatchObject({
    csvs: [],
    subscriptions: [],
    operatorGroups: [],
  });
});
