import { describe, expect, it } from 'vitest';
import type { ClusterObjectSet, CollisionProtection } from '../../kernel/api/cluster-object-set.js';
import type { KubernetesObject, OwnerReference } from '../../kernel/api/kubernetes-object.js';
import { stepObject } from './step-object.js';

const revision = (number: number, extension = 'lamp', lifecycleState = 'Active'): ClusterObjectSet => ({
  apiVersion: 'olm.operatorframework.io/v1',
  kind: 'ClusterObjectSet',
  metadata: {
    name: `${extension}-${number}`,
    uid: `uid-${number}`,
    labels: { 'olm.operatorframework.io/owner-name': extension },
  },
  spec: { lifecycleState, revision: number },
});
const owner = (uid: string, kind = 'ClusterObjectSet', controller = true): OwnerReference => ({
  apiVersion: 'olm.operatorframework.io/v1',
  kind,
  name: `owner ${uid}`,
  uid,
  controller,
});
const wanted: KubernetesObject = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'settings', namespace: 'lights' },
  data: { text: 'steady' },
};
const live = (
  ownerReferences: OwnerReference[],
  more: Readonly<Pick<KubernetesObject['metadata'], 'labels' | 'annotations'>> = {},
): KubernetesObject => ({
  ...wanted,
  metadata: { ...wanted.metadata, resourceVersion: '7', ownerReferences, ...more },
});
const step = (object: KubernetesObject | undefined, protection: CollisionProtection = 'Prevent') =>
  stepObject({
    wanted,
    live: object,
    revision: revision(2),
    siblings: [revision(1), revision(3), revision(4, 'lamp', 'Archived')],
    protection,
  });

const ours = { apiVersion: 'olm.operatorframework.io/v1', kind: 'ClusterObjectSet', name: 'lamp-2', uid: 'uid-2' };
const applied = {
  do: 'apply',
  object: {
    ...wanted,
    metadata: {
      name: 'settings',
      namespace: 'lights',
      labels: { 'app.kubernetes.io/managed-by': 'olm.operatorframework.io' },
      annotations: { 'olm.operatorframework.io/revision': '2' },
      ownerReferences: [{ ...ours, controller: true, blockOwnerDeletion: true }],
    },
  },
};
const released = (ownerReferences: OwnerReference[]) => ({
  do: 'patch',
  ref: { apiVersion: 'v1', kind: 'ConfigMap', name: 'settings', namespace: 'lights' },
  patch: { metadata: { resourceVersion: '7', ownerReferences } },
});
const otherOwner = owner('else', 'Backup', false);
const marked = { annotations: { 'olm.operatorframework.io/revision': '1' } };

describe('an object of a revision', () => {
  it.each([
    { because: 'is made where it is missing', object: undefined, actions: [applied] },
    { because: 'is kept in shape where it is ours', object: live([owner('uid-2')]), actions: [applied] },
    {
      because: 'is taken over from an older revision, other owners stay',
      object: live([owner('uid-1'), otherOwner]),
      actions: [released([otherOwner]), applied],
    },
    {
      because: 'is taken over from an archived revision, even one with a higher number',
      object: live([owner('uid-4')]),
      actions: [released([]), applied],
    },
  ])('$because', ({ object, actions }) => {
    expect(step(object)).toEqual({ step: 'apply', actions });
  });

  it('is left to a newer revision', () => {
    expect(step(live([owner('uid-3')]))).toEqual({ step: 'progressed' });
  });

  it.each([
    { because: 'nobody controls it', object: live([otherOwner]), end: 'Conflicting Owner: none; it was there before' },
    {
      because: 'somebody else controls it',
      object: live([owner('else', 'Backup')]),
      end: 'Conflicting Owner: Backup.olm.operatorframework.io/v1 "owner else"',
    },
  ])('collides where $because', ({ object, end }) => {
    const report = `Object ConfigMap.v1 lights/settings\nAction: "Collision"\n${end}`;
    expect(step(object)).toEqual({ step: 'collision', report });
  });

  it.each([
    { protection: 'IfNoController', object: live([otherOwner]), takes: true },
    { protection: 'IfNoController', object: live([owner('else', 'Backup')]), takes: false },
    { protection: 'IfNoController', object: live([], marked), takes: false },
    { protection: 'None', object: live([owner('else', 'Backup')]), takes: true },
    { protection: 'None', object: live([], marked), takes: false },
    {
      protection: 'None',
      object: live([], { ...marked, labels: { 'olm.operatorframework.io/owner-name': 'lamp' } }),
      takes: true,
    },
  ] as const)('with protection $protection, is taken: $takes', ({ protection, object, takes }) => {
    expect(step(object, protection).step).toBe(takes ? 'apply' : 'collision');
  });
});
