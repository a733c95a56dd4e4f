import { describe, expect, it } from 'vitest';
import { INSTALL_PLAN_API, type InstallPlan } from '../../kernel/api/install-plan.js';
import { actOnWaiting, bringsOther } from './waiting-plan.js';

const planOf = (...clusterServiceVersionNames: string[]): InstallPlan => ({
  ...INSTALL_PLAN_API,
  metadata: { name: 'install-1', namespace: 'lamps' },
  spec: { approval: 'Manual', approved: false, clusterServiceVersionNames },
});

describe('the plan that waits in the turn of a hop', () => {
  it.each([
    ['a', 'a', 'a', 'Approve'],
    ['old', 'a', 'a', 'TakeBack'],
    ['a', 'a', 'b', 'Refuse'],
    ['a', 'a', undefined, 'Refuse'],
    ['b', 'a', 'b', 'Refuse'],
    ['a', undefined, 'a', 'Refuse'],
    ['a', undefined, undefined, 'Refuse'],
  ])('%s, where %s was reviewed and the catalog leads to %s: %s', (waiting, reviewed, leadsTo, act) => {
    expect(actOnWaiting(waiting, reviewed, leadsTo)).toBe(act);
  });

  it('brings other versions than another one, in whatever order they are named', () => {
    expect(bringsOther(planOf('a.v1', 'b.v1'), planOf('b.v1', 'a.v1'))).toBe(false);
    expect(bringsOther(planOf('a.v1'), planOf('a.v1', 'b.v1'))).toBe(true);
    expect(bringsOther(planOf('a.v1'), planOf('a.v2'))).toBe(true);
  });
});
