import { describe, expect, it } from 'vitest';
import { CLUSTER_OBJECT_SET_API, ClusterObjectSet } from '../../kernel/api/cluster-object-set.js';
import { type KubernetesObject, refOf } from '../../kernel/api/kubernetes-object.js';
import { planObjects } from './plan-objects.js';

const VERSION = 'olm.operatorframework.io/bundle-version';
const revision = (number: number, uid: string) =>
  ClusterObjectSet.parse({
    ...CLUSTER_OBJECT_SET_API,
    metadata: { name: `lamp-${number}`, uid },
    spec: { revision: number, lifecycleState: 'Active', collisionProtection: 'Prevent' },
  });
const config = (name: string, data: object, version = '1.0.0'): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'lights', annotations: { [VERSION]: version } },
  data,
});
const ownedBy = (uid: string, object: KubernetesObject): KubernetesObject => ({
  ...object,
  metadata: {
    ...object.metadata,
    ownerReferences: [{ ...CLUSTER_OBJECT_SET_API, name: 'other', uid, controller: true }],
  },
});

type Objects = Readonly<{ wanted?: KubernetesObject; before?: KubernetesObject; live?: KubernetesObject }>;

/** What revision 2 would do, where revision 1 (uid `one`) is active. */
function planned({ wanted, before, live }: Objects) {
  const plan = planObjects({
    revision: revision(2, 'planned'),
    siblings: [revision(1, 'one')],
    wanted: wanted === undefined ? [] : [{ object: wanted, protection: 'Prevent' }],
    earlier: before === undefined ? [] : [before],
    liveOf: () => live,
  });
  return plan.map(({ ref, ...rest }) => ({ name: ref.name, ...rest }));
}

describe('planObjects', () => {
  const old = config('a', { light: 'red', shade: 'none' });
  const next = (data: object) => config('a', data, '1.1.0');

  it.each<Objects & { because: string; plan: readonly object[] }>([
    { because: 'it is not there', wanted: old, plan: [{ name: 'a', does: 'create' }] },
    {
      because: 'the version alone differs',
      wanted: next({ light: 'red', shade: 'none' }),
      before: old,
      live: ownedBy('one', old),
      plan: [{ name: 'a', does: 'keep' }],
    },
    {
      because: 'a value differs, and one goes',
      wanted: next({ light: 'green' }),
      before: old,
      live: ownedBy('one', old),
      plan: [{ name: 'a', does: 'change', fields: ['data.light', 'data.shade'] }],
    },
    {
      because: 'fields that the bundle does not speak of are left alone',
      wanted: next({ light: 'red' }),
      before: config('a', { light: 'red' }),
      live: ownedBy('one', config('a', { light: 'red', 'by.hand': 'x' })),
      plan: [{ name: 'a', does: 'keep' }],
    },
    {
      because: 'a key that is no plain word',
      wanted: next({ 'light.yaml': 'on' }),
      before: config('a', { 'light.yaml': 'off' }),
      live: ownedBy('one', config('a', { 'light.yaml': 'off' })),
      plan: [{ name: 'a', does: 'change', fields: ['data["light.yaml"]'] }],
    },
    {
      because: 'it is of others',
      wanted: old,
      live: ownedBy('stranger', old),
      plan: [{ name: 'a', does: 'collide', report: expect.stringContaining('Conflicting Owner') }],
    },
    {
      because: 'only the earlier revision has it',
      before: old,
      live: ownedBy('one', old),
      plan: [{ name: 'a', does: 'delete' }],
    },
    {
      because: 'only the earlier revision has it, and others have taken it over',
      before: old,
      live: ownedBy('stranger', old),
      plan: [],
    },
    { because: 'only the earlier revision has it, and it is gone', before: old, plan: [] },
  ])('$because', ({ plan, ...objects }) => {
    expect(planned(objects)).toEqual(plan);
  });

  it('names each object by its API, namespace and name', () => {
    const plan = planObjects({
      revision: revision(1, 'planned'),
      siblings: [],
      wanted: [{ object: old, protection: 'Prevent' }],
      earlier: [],
      liveOf: () => undefined,
    });
    expect(plan.map(({ ref }) => ref)).toEqual([refOf(old)]);
  });
});
