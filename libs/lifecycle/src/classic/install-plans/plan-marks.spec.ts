import { describe, expect, it } from 'vitest';
import type { InstallPlan } from '#core/kernel/api/install-plan';
import { HubKey } from '#platform/keys/hub-key';
import { objectOf } from '../classic-cluster.fixture.js';
import { planOf, step } from './install-plans.fixture.js';
import { PlanMarks } from './plan-marks.js';

const settings = (data: Record<string, string> = { glow: 'warm' }) =>
  objectOf('ConfigMap', 'settings', 'shop', { data });

describe('the mark of a plan that the hub made (decision 0015)', () => {
  const marks = new PlanMarks(HubKey.random());
  const plan = planOf({ steps: [step(settings())] }) as InstallPlan;
  const marked = (cluster: string, by = marks): InstallPlan => ({
    ...plan,
    metadata: { ...plan.metadata, annotations: { 'flotilla.dev/made-by-hub': by.markOf(cluster, plan, plan.status) } },
  });

  it('is recognised in its cluster, and in no other', () => {
    expect(marks.isOwn('east', marked('east'))).toBe(true);
    expect(marks.isOwn('west', marked('east'))).toBe(false);
  });

  it('is not that of a hub with another key, and a plan without one is foreign', () => {
    expect(marks.isOwn('east', marked('east', new PlanMarks(HubKey.random())))).toBe(false);
    expect(marks.isOwn('east', plan)).toBe(false);
  });
});
