import { describe, expect, it } from 'vitest';
import { ADVICE } from '../advice/advice.js';
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

  const unresolved = (name: string, namespace = 'quay'): Finding => ({
    ...noGroup(namespace, name),
    because: [
      `Subscription harbor asks for channel fast, which package harbor does not have: nothing in ${namespace} moves.`,
    ],
  });
  it.each([
    { order: ['harbor', 'lighthouse'], first: 'harbor' },
    { order: ['lighthouse', 'harbor'], first: 'harbor' },
    { order: ['pier', 'harbor', 'lighthouse'], first: 'harbor' },
  ])('prints the cause of a namespace once, where it lies: $order', ({ order, first }) => {
    const groups = equalCauses(order.map((name) => unresolved(name)));
    expect(groups).toHaveLength(1);
    expect(groups[0]?.[0].name).toBe(first);
    expect(groups[0]).toHaveLength(order.length);
  });

  it('keeps a victim apart that has a remedy of its own', () => {
    const own = { ...unresolved('lighthouse'), todo: [ADVICE.checkHub()] };
    expect(equalCauses([unresolved('harbor'), own])).toHaveLength(2);
  });
});
