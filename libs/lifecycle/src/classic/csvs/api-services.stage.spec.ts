import { afterEach, beforeEach, expect, it } from 'vitest';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { Refusal } from '#testing/cluster/objects/refusal';
import { ClassicCluster } from '../classic-cluster.fixture.js';
import { apiServicesStage } from './api-services.stage.js';
import { lampCsv } from './csvs.fixture.js';

let at: ClassicCluster;
beforeEach(async () => {
  at = await ClassicCluster.start();
  at.namespace('shop');
});
afterEach(() => at.stop());

const API = { apiVersion: 'apiregistration.k8s.io/v1', kind: 'APIService' } as const;
/** An APIService of a CSV of the namespace; its labels on top. */
const apiService = (group: string, labels: Record<string, string>): KubernetesObject =>
  at.put({
    ...API,
    metadata: {
      name: `v1.${group}`,
      labels: { 'olm.managed': 'true', 'olm.owner.kind': 'ClusterServiceVersion', ...labels },
    },
    spec: { group, version: 'v1', groupPriorityMinimum: 1, versionPriority: 1 },
  });
const left = () =>
  at.cluster.list(API).flatMap(({ metadata: { name = '' } }) => (name.endsWith('.example.com') ? [name] : []));
const pass = (namespace: string, reads?: ReturnType<ClassicCluster['laggingReads']>) =>
  at.pass(namespace, [apiServicesStage], reads === undefined ? {} : { reads });

it('csv-lifecycle.md §7: an APIService whose CSV is gone is deleted, and no other', async () => {
  at.put(lampCsv('shop'));
  const owner = (name: string, namespace: string) => ({ 'olm.owner': name, 'olm.owner.namespace': namespace });
  apiService('lamps.example.com', owner('lamp.v1', 'shop'));
  apiService('gone.example.com', owner('lamp.v0', 'shop'));
  apiService('far.example.com', owner('lamp.v0', 'hall'));
  apiService('none.example.com', {});
  apiService('group.example.com', { ...owner('shop-group', 'shop'), 'olm.owner.kind': 'OperatorGroup' });
  apiService('theirs.example.com', { ...owner('lamp.v0', 'shop'), 'olm.managed': 'false' });
  await pass('shop');
  const others = ['none', 'group', 'theirs'].map((name) => `v1.${name}.example.com`);
  expect(left().sort()).toEqual(['v1.far.example.com', 'v1.lamps.example.com', ...others].sort());
});

it('so is one whose whole namespace is gone', async () => {
  apiService('gone.example.com', { 'olm.owner': 'lamp.v1', 'olm.owner.namespace': 'nowhere' });
  await pass('nowhere');
  expect(left()).toEqual([]);
});

it('is decided on live reads: a cache that does not know the CSV yet deletes nothing', async () => {
  const reads = at.laggingReads();
  at.put(lampCsv('shop'));
  apiService('lamps.example.com', { 'olm.owner': 'lamp.v1', 'olm.owner.namespace': 'shop' });
  await pass('shop', reads);
  expect(left()).toEqual(['v1.lamps.example.com']);
});

it('a copy of a CSV is no owner', async () => {
  const metadata = { labels: { 'olm.copiedFrom': 'home' }, annotations: { 'olm.operatorNamespace': 'home' } };
  at.put(lampCsv('shop', 'lamp.v1', { metadata }));
  apiService('lamps.example.com', { 'olm.owner': 'lamp.v1', 'olm.owner.namespace': 'shop' });
  await pass('shop');
  expect(left()).toEqual([]);
});

it('a hub that may not list APIServices goes on with the rest of the namespace', async () => {
  at.cluster.failAll({ verb: 'list', resource: 'apiservices' }, new Refusal(403, 'Forbidden', 'not yours'));
  expect(await pass('shop')).toMatchObject({ result: 'done' });
});
