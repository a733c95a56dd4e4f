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
});
