import { describe, expect, it } from 'vitest';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { listKey } from './list-key.js';
import { withManagersOnly, withoutManagedFields } from './managed-fields.js';

const map = (metadata: object): KubernetesObject =>
  ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'one', ...metadata } }) as KubernetesObject;
const ENTRY = { manager: 'kubectl', operation: 'Update', time: '2026-01-01T00:00:00Z', fieldsV1: { 'f:data': {} } };

describe('what is kept of managedFields', () => {
  it('is nothing, or managers and times', () => {
    const object = map({ managedFields: [ENTRY], labels: { a: 'b' } });
    expect(withoutManagedFields(object)).toEqual(map({ labels: { a: 'b' } }));
    expect(withManagersOnly(object)).toEqual(
      map({ managedFields: [{ manager: 'kubectl', time: '2026-01-01T00:00:00Z' }], labels: { a: 'b' } }),
    );
    expect(object.metadata['managedFields']).toEqual([ENTRY]);
  });

  it('is nothing where they are none, or no list', () => {
    expect(withoutManagedFields(map({}))).toEqual(map({}));
    expect(withManagersOnly(map({}))).toEqual(map({}));
    expect(withManagersOnly(map({ managedFields: 'broken' }))).toEqual(map({}));
  });
});

describe('the key of a list', () => {
  const resource = { apiVersion: 'v1', kind: 'Secret' };
  it('differs with what is asked for, and with whether parts are kept', () => {
    const keep = (object: unknown) => object;
    const keys = [
      { resource, options: {} },
      { resource, options: {}, keep },
      { resource, options: { namespace: 'a' } },
      { resource, options: { labelSelector: 'a' } },
      { resource, options: { fieldSelector: 'a' } },
      { resource: { ...resource, kind: 'ConfigMap' }, options: {} },
    ].map(listKey);
    expect(new Set(keys).size).toBe(keys.length);
    expect(listKey({ resource, options: { namespace: 'a' }, keep: () => 1 })).toBe(
      listKey({ resource, options: { namespace: 'a' }, keep }),
    );
  });
});
