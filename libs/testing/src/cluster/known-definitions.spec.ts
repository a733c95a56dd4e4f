import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { KubernetesObject, refOf } from '#core/kernel/api/kubernetes-object';
import { DRIVEN } from '../patience.js';
import { type DirectCluster, directCluster } from './direct-client.js';
import { defineKinds, keepKnown, restoreKnown } from './known-definitions.js';

const LAMP = { apiVersion: 'shop.example/v1', kind: 'Lamp' };
const DEFINITION = KubernetesObject.parse({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'lamps.shop.example' },
  spec: {
    group: 'shop.example',
    names: { kind: 'Lamp', listKind: 'LampList', plural: 'lamps', singular: 'lamp' },
    scope: 'Cluster',
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object' } } } },
      },
    ],
  },
});

describe('a definition that another cluster has served', () => {
  let [first, second]: DirectCluster[] = [];
  beforeAll(async () => {
    for (const name of ['first', 'second']) {
      const made = directCluster(name);
      [first, second] = [first ?? made, made];
      defineKinds(made.cluster, [DEFINITION]);
      await vi.waitFor(async () => expect(await made.client.serves(LAMP)).toBe(true), DRIVEN);
      keepKnown(made.cluster, [DEFINITION]);
    }
  });
  afterAll(async () => {
    await first?.stop();
    await second?.stop();
  });

  it('is served and checked alike', async () => {
    const third = directCluster('third');
    expect(restoreKnown(third.cluster, [DEFINITION])).toEqual([]);
    await third.stop();
    const bad = { ...LAMP, metadata: { name: 'bad' }, spec: 'text' };
    for (const made of [first, second]) await expect(made?.client.create(bad)).rejects.toThrow('spec');
  });

  it('shares neither objects nor changes', async () => {
    await second?.client.create({ ...LAMP, metadata: { name: 'one' } });
    expect(first?.cluster.list(LAMP)).toEqual([]);
    second?.cluster.edit(refOf(DEFINITION), ({ metadata }) => Object.assign(metadata, { labels: { a: 'b' } }));
    expect(second?.cluster.get(refOf(DEFINITION))?.metadata.labels).toEqual({ a: 'b' });
    expect(first?.cluster.get(refOf(DEFINITION))?.metadata.labels).toBeUndefined();
    second?.cluster.delete(refOf(DEFINITION));
    await expect.poll(() => second?.cluster.get(refOf(DEFINITION)), DRIVEN).toBeUndefined();
    expect(await first?.client.serves(LAMP)).toBe(true);
  });
});
