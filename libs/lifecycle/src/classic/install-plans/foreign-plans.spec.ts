import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { ClassicCluster, objectOf, refTo } from '../classic-cluster.fixture.js';
import { lampCsv } from '../csvs/csvs.fixture.js';
import { PLAN, PlanBench, type PlanParts, phaseOf, planOf, step, stepsOf } from './install-plans.fixture.js';

let at: ClassicCluster;
let bench: PlanBench;
beforeEach(async () => {
  at = await ClassicCluster.start();
  at.namespace('shop');
  at.put(lampCsv('shop'));
  bench = new PlanBench();
});
afterEach(() => at.stop());

const pass = (parts: PlanParts) => at.pass('shop', [bench.stage(parts)]);
const settings = objectOf('ConfigMap', 'settings', 'shop', { data: { glow: 'warm' } });
const plan = () => planOf({ steps: [step(settings)] });
const annotated = () =>
  at.cluster.edit(refTo('Namespace', 'shop'), ({ metadata }) =>
    Object.assign(metadata, { annotations: { 'flotilla.dev/refuse-foreign-installplans': 'true' } }),
  );
const FOREIGN = 'the hub did not create this InstallPlan, or it was changed since: the hub does not execute it';

describe('decision 0015: plans that the hub did not make', () => {
  it.each([
    {
      because: 'setting FLOTILLA_FOREIGN_INSTALL_PLANS of the hub',
      setting: 'refuse' as const,
      prepare: (): void => undefined,
    },
    {
      because: 'annotation flotilla.dev/refuse-foreign-installplans of namespace shop',
      setting: 'accept' as const,
      prepare: (): void => void annotated(),
    },
  ])('are refused at once for the $because', async ({ because, setting, prepare }) => {
    prepare();
    at.put(plan());
    await pass({ setting });
    expect([phaseOf(at), stepsOf(at)]).toEqual([`Failed: ${FOREIGN} (${because})`, ['ConfigMap settings: Unknown']]);
    expect(at.names('ConfigMap', 'shop')).not.toContain('shop/settings');
    at.writes();
    expect(await pass({ setting })).toEqual({ rounds: 1, result: 'done' });
    expect(at.writes()).toEqual([]);
  });

  it('are executed where nothing asks for more', async () => {
    at.put(plan());
    await pass({ setting: 'accept' });
    expect(phaseOf(at)).toBe('Complete');
  });

  it('a hub without a key refuses none: it could not distinguish its own', async () => {
    at.put(plan());
    await pass({ setting: 'refuse', unmarked: true });
    expect(phaseOf(at)).toBe('Complete');
  });

  const spoiled: readonly (readonly [string, (plan: KubernetesObject) => void])[] = [
    [
      'with another manifest',
      (live) => Object.assign(firstStep(live), { manifest: JSON.stringify({ ...settings, data: {} }) }),
    ],
    ['with another kind', (live) => Object.assign(firstStep(live), { kind: 'Secret' })],
    ['with another step', (live) => void stepsIn(live).push(step(objectOf('ConfigMap', 'more', 'shop')))],
    ['that resolves to another CSV', (live) => Object.assign(stepsIn(live)[0] ?? {}, { resolving: 'wick.v1' })],
  ];
  it.each(spoiled)('a plan of the hub is its own while it installs the same; not one %s', async (_, spoil) => {
    bench.own(at, plan());
    at.cluster.edit(PLAN, (live) => spoil(live), 'status');
    await pass({ setting: 'refuse' });
    expect(phaseOf(at)).toBe(`Failed: ${FOREIGN} (setting FLOTILLA_FOREIGN_INSTALL_PLANS of the hub)`);
  });

  it('approval, and steps that are done, do not make it foreign', async () => {
    bench.own(
      at,
      planOf({
        approval: 'Manual',
        approved: false,
        steps: [step(settings), step(objectOf('ConfigMap', 'more', 'shop'))],
        status: { phase: 'RequiresApproval' },
      }),
    );
    await pass({ setting: 'refuse' });
    at.cluster.edit(PLAN, ({ spec }) => Object.assign(spec as object, { approved: true }));
    at.cluster.edit(PLAN, (live) => Object.assign(stepsIn(live)[0] ?? {}, { status: 'Created' }), 'status');
    await pass({ setting: 'refuse' });
    expect(phaseOf(at)).toBe('Complete');
  });

  it('a mark that is copied to another plan is wrong there', async () => {
    const own = bench.own(at, plan());
    at.cluster.delete(PLAN);
    at.put(
      planOf({ name: 'install-2', steps: [step(settings)], metadata: { annotations: own.metadata.annotations ?? {} } }),
    );
    await pass({ setting: 'refuse' });
    expect(at.status(refTo('InstallPlan', 'install-2', 'shop'))['phase']).toBe('Failed');
  });

  it('a failed plan is not checked again for as long as such plans are refused', async () => {
    at.put(plan());
    const ref = { name: 'install-1', namespace: 'shop' };
    const status = { installPlanRef: ref, lastUpdated: '2026-01-01T00:00:00Z' };
    at.put(
      objectOf('Subscription', 'lamp', 'shop', {
        spec: { name: 'lamp', source: 'shelf', sourceNamespace: 'olm' },
        status,
      }),
    );
    await pass({ setting: 'refuse' });
    await at.clock.advance(60_000);
    await pass({ setting: 'refuse' });
    expect(phaseOf(at)).toMatch(/^Failed/);
    await pass({ setting: 'accept' });
    expect(phaseOf(at), 'and goes on when they no longer are').toBe('Complete');
  });
});

type Steps = { resolving: string; resource: Record<string, unknown> }[];
const stepsIn = (plan: KubernetesObject) => (plan['status'] as { plan: Steps }).plan;
const firstStep = (plan: KubernetesObject) => stepsIn(plan)[0]?.resource ?? {};
