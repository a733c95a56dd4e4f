import { describe, expect, it } from 'vitest';
import { ADVICE } from './advice.js';
import type { Finding } from './cluster-findings.js';
import { equalCauses } from './equal-causes.js';

const noGroup = (namespace: string, name = 'mill'): Finding => ({
  kind: 'Subscription',
  namespace,
  name,
  code: 'no-operator-group',
  standing: 'blocked',
  because: [`There is no OperatorGroup in namespace ${namespace}.`],
  todo: [ADVICE.dropSubscription(namespace, name)],
});

describe('equalCauses', () => {
  it('puts findings together that differ in the object alone, in the order of the first', () => {
    const other: Finding = { ...noGroup('a'), because: ['The catalog is not there.'] };
    const groups = equalCauses([noGroup('a'), other, noGroup('b', 'lamp'), noGroup('c')]);
    expect(groups.map((group) => group.map(({ namespace, name }) => `${namespace}/${name}`))).toEqual([
      ['a/mill', 'b/lamp', 'c/mill'],
      ['a/mill'],
    ]);
  });

  it.each([
    { change: { standing: 'failed' as const }, because: 'another urgency' },
    { change: { kind: 'InstallPlan' }, because: 'another kind' },
    { change: { because: ['There is no OperatorGroup in namespace elsewhere.'] }, because: 'another object is meant' },
    { change: { todo: [ADVICE.checkHub()] }, because: 'another remedy' },
  ])('keeps apart: $because', ({ change }) => {
    expect(equalCauses([noGroup('a'), { ...noGroup('b'), ...change }])).toHaveLength(2);
  });
});
