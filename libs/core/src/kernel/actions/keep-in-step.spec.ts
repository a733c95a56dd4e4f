import { describe, expect, it } from 'vitest';
import type { KubernetesObject } from '../api/kubernetes-object.js';
import { keepInStep } from './keep-in-step.js';

const wanted: KubernetesObject = {
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'Role',
  metadata: { name: 'gear', namespace: 'mill', labels: { 'olm.managed': 'true' } },
  rules: [{ verbs: ['get'], resources: ['pods'] }],
};
const live: KubernetesObject = {
  ...wanted,
  metadata: {
    ...wanted.metadata,
    labels: { 'olm.managed': 'true', theirs: 'yes' },
    resourceVersion: '7',
    uid: 'u',
    creationTimestamp: '2026-01-01T00:00:00Z',
  },
};

describe('keeping an object in step', () => {
  it('creates what is not there', () => {
    expect(keepInStep(undefined, wanted)).toEqual([{ do: 'create', object: wanted }]);
  });

  it.each<{ found: KubernetesObject; because: string }>([
    { found: live, because: 'labels of others and what the API server adds are no difference' },
    { found: { ...live, rules: [{ resources: ['pods'], verbs: ['get'] }] }, because: 'nor is the order of keys' },
    { found: { ...live, apiVersion: '', kind: '' }, because: 'nor are the items of a list, which say no kind' },
  ])('writes nothing: $because', ({ found }) => {
    expect(keepInStep(found, wanted)).toEqual([]);
  });

  it.each<{ found: KubernetesObject; because: string }>([
    { found: { ...live, rules: [] }, because: 'other content' },
    {
      found: { ...live, metadata: { ...live.metadata, labels: { theirs: 'yes' } } },
      because: 'a label of ours is gone',
    },
  ])('updates under the lock of what was read, keeping what others put there: $because', ({ found }) => {
    expect(keepInStep(found, wanted)).toMatchObject([
      {
        do: 'update',
        object: {
          metadata: { resourceVersion: '7', uid: 'u', labels: { 'olm.managed': 'true', theirs: 'yes' } },
          rules: wanted['rules'],
        },
      },
    ]);
  });
});
