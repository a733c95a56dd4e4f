import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { ObjectStore } from './object-store.js';

const object = (namespace: string, name: string, resourceVersion = '1'): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, ...(namespace === '' ? {} : { namespace }), resourceVersion },
});
const shown = (objects: readonly KubernetesObject[]) =>
  objects.map(({ metadata }) => [metadata.namespace ?? '', metadata.name, metadata.resourceVersion].join(' '));

it('lists in the order of namespaces and names what was put there last, of few objects and of many', () => {
  const change = fc.record({
    namespace: fc.constantFrom('', 'sea', 'land'),
    name: fc.integer({ min: 0, max: 150 }).map((n) => `one-${n}`),
    version: fc.option(fc.nat().map(String)),
    lists: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(change, { maxLength: 1_000, size: 'max' }), (changes) => {
      const store = new ObjectStore<KubernetesObject>();
      const held = new Map<string, KubernetesObject>();
      for (const { namespace, name, version, lists } of changes) {
        const key = `${namespace} ${name}`;
        if (version === null) expect(store.delete({ namespace, name })).toBe(held.delete(key));
        else {
          const put = object(namespace, name, version);
          store.set(put);
          held.set(key, put);
        }
        if (lists) store.list();
      }
      const byKey = [...held].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, one]) => one);
      expect(shown(store.list())).toEqual(shown(byKey));
      expect(shown(store.list('sea'))).toEqual(shown(byKey.filter(({ metadata }) => metadata.namespace === 'sea')));
      expect(store.size).toBe(held.size);
    }),
    { numRuns: 50 },
  );
});

it('leaves a list as it was given when an object of it changes, comes or goes', () => {
  const store = new ObjectStore<KubernetesObject>();
  for (let n = 0; n < 1_000; n += 1) store.set(object('', `one-${n}`));
  const before = store.list();
  const as = shown(before);
  store.set(object('', 'one-7', '2'));
  expect(shown(store.list())).toContain(' one-7 2');
  store.set(object('', 'another'));
  store.delete({ name: 'one-8' });
  expect(store.list()).toHaveLength(1_000);
  expect(shown(before)).toEqual(as);
});
