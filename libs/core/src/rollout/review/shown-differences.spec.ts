import { describe, expect, it } from 'vitest';
import { differencesOf, planClassName, unshown, widerHash } from './shown-differences.js';

const HASH = 'a'.repeat(64);
const crd = {
  name: 'lamps',
  adds: ['v2'],
  removes: ['v1'],
  breaking: ['spec.size is gone'],
  owners: ['x'],
  storage: 'v2',
};
const PLAN = {
  images: { added: ['new'], removed: ['old'] },
  rbac: { added: ['ClusterRole lamp: get secrets'], removed: ['ClusterRole lamp: get pods'] },
  crds: [crd],
  webhooks: ['ValidatingAdmissionWebhook lamp'],
  dependencies: ['mill.v1'],
  neighbours: ['mill: 1 → 2'],
  objects: { created: ['Service a is new'], changed: ['ConfigMap b changes'], deleted: ['Secret c goes'] },
};

describe('the differences that an approval is about', () => {
  it('are all that a plan brings, or takes from users, and no right that goes', () => {
    expect(differencesOf(PLAN)).toEqual([
      'image new',
      'right ClusterRole lamp: get secrets',
      'crd lamps adds v2',
      'crd lamps removes v1',
      'crd lamps breaks spec.size is gone',
      'crd lamps stores v2',
      'webhook ValidatingAdmissionWebhook lamp',
      'dependency mill.v1',
      'neighbour mill: 1 → 2',
      'created Service a is new',
      'changed ConfigMap b changes',
      'deleted Secret c goes',
    ]);
    expect(differencesOf({})).toEqual([]);
  });

  it('of a cluster that has less of them, or the same in another order, were shown', () => {
    const all = differencesOf(PLAN);
    expect(unshown(all.toReversed(), all)).toEqual([]);
    expect(widerHash(HASH, all.slice(3), all)).toBeUndefined();
    expect(planClassName({ planHash: HASH })).toBe('aaaaaaaaaaaa');
  });

  it('of clusters that have more make a class of their own, the same for the same ones', () => {
    const all = differencesOf(PLAN);
    const shown = differencesOf({ ...PLAN, rbac: { added: [], removed: [] } });
    const wider = widerHash(HASH, all, shown);
    expect(wider).toBe(widerHash(HASH, [...all.toReversed(), ...all], shown));
    expect(wider).not.toBe(widerHash('b'.repeat(64), all, shown));
    expect(wider).not.toBe(widerHash(HASH, [...all, 'right more'], shown));
    const name = planClassName({ planHash: HASH, differences: wider });
    expect([name, name.length]).toEqual([wider?.slice(0, 12), 12]);
  });
});
