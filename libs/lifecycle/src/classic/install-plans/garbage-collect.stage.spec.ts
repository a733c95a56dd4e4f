import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ClassicCluster, objectOf, refTo } from '../classic-cluster.fixture.js';
import { garbageCollectStage } from './garbage-collect.stage.js';
import { planOf } from './install-plans.fixture.js';

let at: ClassicCluster;
beforeEach(async () => {
  at = await ClassicCluster.start();
  at.namespace('shop');
});
afterEach(() => at.stop());

const pass = (reads?: ReturnType<ClassicCluster['laggingReads']>) =>
  at.pass('shop', [garbageCollectStage], reads === undefined ? {} : { reads });
const plans = (count: number, phase = 'Complete') => {
  for (let generation = 1; generation <= count; generation += 1) {
    at.put(planOf({ name: `plan-${generation}`, generation, status: { phase } }));
  }
};
const left = () => at.names('InstallPlan').map((name) => Number(name.replace('shop/plan-', '')));
const subscription = (plan?: string) => {
  const status =
    plan === undefined ? undefined : { installPlanRef: { name: plan }, lastUpdated: '2026-01-01T00:00:00Z' };
  const spec = { name: 'lamp', source: 'shelf', sourceNamespace: 'olm' };
  return at.put(objectOf('Subscription', 'lamp', 'shop', { spec, ...(status && { status }) }));
};
const NEWEST = [4, 5, 6, 7, 8];

describe('install-plans.md §9: plans beyond five', () => {
  it('the oldest generations are deleted, in one pass, whatever their phase', async () => {
    subscription();
    plans(8, 'Failed');
    expect(await pass()).toMatchObject({ result: 'done' });
    expect(left()).toEqual(NEWEST);
    at.writes();
    expect(await pass()).toEqual({ rounds: 1, result: 'done' });
    expect(at.writes()).toEqual([]);
  });

  it.each([
    { phase: 'RequiresApproval', kept: [1, ...NEWEST], because: 'a Subscription waits for it' },
    { phase: 'Complete', kept: NEWEST, because: 'it is done' },
  ])('the plan of a Subscription in $phase: $because', async ({ phase, kept }) => {
    subscription('plan-1');
    plans(8, phase);
    await pass();
    expect(left()).toEqual(kept);
  });

  it('with isolation every plan that a Subscription refers to stays', async () => {
    at.cluster.edit(refTo('OperatorGroup', 'shop-group', 'shop'), ({ metadata }) =>
      Object.assign(metadata, { annotations: { 'flotilla.dev/resolution-isolation': 'true' } }),
    );
    subscription('plan-1');
    plans(8);
    await pass();
    expect(left()).toEqual([1, ...NEWEST]);
  });

  it.each([
    ['five plans', 5, true],
    ['no Subscription', 8, false],
  ])('%s: nothing is deleted', async (_, count, subscribed) => {
    if (subscribed) subscription();
    plans(count);
    await pass();
    expect(left()).toHaveLength(count);
  });

  it('is decided on live reads: a Subscription that the cache does not know keeps its plan', async () => {
    subscription();
    plans(8, 'RequiresApproval');
    const reads = at.laggingReads();
    const ref = refTo('Subscription', 'lamp', 'shop');
    const status = { installPlanRef: { name: 'plan-2' }, lastUpdated: '2026-01-01T00:00:00Z' };
    at.cluster.edit(ref, (live) => Object.assign(live, { status }), 'status');
    await pass(reads);
    expect(left()).toEqual([2, ...NEWEST]);
  });

  it('a plan that was recreated under the name is another one, and stays', async () => {
    subscription();
    plans(6);
    at.cluster.lossOf = ({ verb }) => {
      if (verb === 'delete') {
        at.cluster.lossOf = () => undefined;
        at.cluster.delete(refTo('InstallPlan', 'plan-1', 'shop'));
        at.put(planOf({ name: 'plan-1', generation: 9 }));
      }
      return undefined;
    };
    expect(await pass()).toMatchObject({ result: 'done' });
    expect(left()).toEqual([1, 2, 3, 4, 5, 6]);
  });

  it('a deletion that is forbidden ends the pass as refused; the other stages are not held up', async () => {
    subscription();
    plans(6);
    at.cluster.failNext({ verb: 'delete', resource: 'installplans' }, 403, 'Forbidden', 'not yours');
    const seen: string[] = [];
    const next = async () => {
      seen.push('next stage');
      return { moved: false };
    };
    expect(await at.pass('shop', [garbageCollectStage, next])).toMatchObject({
      result: 'refused',
      error: { said: 'not yours' },
    });
    expect(seen).toEqual(['next stage']);
    expect(left()).toHaveLength(6);
  });
});
