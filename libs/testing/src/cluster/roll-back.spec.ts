import { afterEach, describe, expect, it, vi } from 'vitest';
import { PATIENCE } from '#testing/patience';
import { BareCluster } from './bare-cluster.js';

const CRD = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'lamps.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'lamps', singular: 'lamp', kind: 'Lamp', listKind: 'LampList' },
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
  },
};
const LAMP = { apiVersion: 'example.com/v1', kind: 'Lamp', metadata: { name: 'one', namespace: 'default' } };
const BELL = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'bell', namespace: 'default' },
  spec: {
    selector: { matchLabels: { app: 'bell' } },
    template: { metadata: { labels: { app: 'bell' } }, spec: { containers: [{ name: 'bell', image: 'bell' }] } },
  },
};
const TEXT = { apiVersion: 'v1', kind: 'ConfigMap', name: 'text', namespace: 'default' };
const WATCH = '/api/v1/namespaces/default/configmaps';

describe('a simulated cluster that is restored from a backup', () => {
  const bare = new BareCluster();
  const { cluster } = bare;
  afterEach(() => bare.stop());

  it('stores what it stored then, under newer revisions, and nothing else; watches begin anew', async () => {
    const { apiVersion, kind, name, namespace } = TEXT;
    const first = cluster.create({ apiVersion, kind, metadata: { name, namespace }, data: { text: 'old' } });
    const backup = cluster.stored();
    const newer = cluster.edit(TEXT, (object) => Object.assign(object, { data: { text: 'new' } }));
    cluster.create({ apiVersion, kind, metadata: { name: 'more', namespace } });
    cluster.create(CRD);
    await vi.waitFor(() => cluster.create(LAMP), PATIENCE);
    const watch = bare.watch(`${WATCH}?resourceVersion=${newer.metadata.resourceVersion}`);

    cluster.rollBack(backup);

    expect(watch.ended()).toBe(true);
    const restored = cluster.get(TEXT);
    expect(restored).toMatchObject({ data: { text: 'old' }, metadata: { uid: first.metadata.uid } });
    expect(Number(restored?.metadata.resourceVersion)).toBeGreaterThan(Number(newer.metadata.resourceVersion));
    expect(cluster.get({ ...TEXT, name: 'more' })).toBeUndefined();
    await vi.waitFor(
      () => expect(bare.send({ method: 'GET', path: '/apis/example.com/v1/lamps' }).code).toBe(404),
      PATIENCE,
    );
    const again = bare.watch(`${WATCH}?resourceVersion=${newer.metadata.resourceVersion}`);
    expect(again.events).toMatchObject([{ type: 'ERROR', object: { code: 410 } }]);
  });

  it('goes on with the rollout of a Deployment that was under way then', async () => {
    const named = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'bell', namespace: 'default' };
    const status = () => cluster.get(named)?.['status'];
    let backup: ReturnType<typeof cluster.stored> = [];
    const done = cluster.onChange(({ resource, object }) => {
      if (resource === 'deployments.apps' && Object(object.status).unavailableReplicas === 1) backup = cluster.stored();
    });
    cluster.create(BELL);
    await vi.waitFor(() => expect(status()).toMatchObject({ availableReplicas: 1 }), PATIENCE);
    done();
    cluster.delete(named);

    cluster.rollBack(backup);

    expect(status()).toMatchObject({ unavailableReplicas: 1 });
    await vi.waitFor(() => expect(status()).toMatchObject({ availableReplicas: 1 }), PATIENCE);
  });

  it('stores what a copy of etcd has, under the versions of then; versions are given out again', async () => {
    const page = { ...TEXT, name: 'page' };
    const { apiVersion, kind, name, namespace } = page;
    const first = cluster.create({ apiVersion, kind, metadata: { name, namespace }, data: { text: 'old' } });
    const copy = cluster.snapshot();
    const newer = cluster.edit(page, (object) => Object.assign(object, { data: { text: 'new' } }));
    cluster.create({ apiVersion, kind, metadata: { name: 'more', namespace } });
    cluster.create(CRD);
    await vi.waitFor(() => cluster.create(LAMP), PATIENCE);
    const last = cluster.edit(page, (object) => Object.assign(object, { data: {} })).metadata.resourceVersion;
    const watch = bare.watch(`${WATCH}?resourceVersion=${last}`);

    cluster.restoreSnapshot(copy);

    expect(watch.ended()).toBe(true);
    expect(cluster.get(page)).toEqual(first);
    expect(cluster.get({ ...page, name: 'more' })).toBeUndefined();
    const again = bare.watch(`${WATCH}?resourceVersion=${last}`);
    const edited = cluster.edit(page, (object) => Object.assign(object, { data: { text: 'other' } }));
    expect(edited.metadata.resourceVersion).toBe(newer.metadata.resourceVersion);
    expect(again.events).toEqual([]);
    expect(again.ended()).toBe(false);
    const served = () => bare.send({ method: 'GET', path: '/apis/example.com/v1/lamps' }).code;
    await vi.waitFor(() => expect(served()).toBe(404), PATIENCE);
  });
});
