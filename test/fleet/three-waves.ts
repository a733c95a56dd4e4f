import { expect } from 'vitest';
import { FLEET_API } from '#core/kernel/api/fleet/fleet-fields';
import { FleetPlan } from '#core/kernel/api/fleet/fleet-plan';
import { storedRows } from '#lifecycle/rollouts/assignments/stored-rollout';
import { LONG_PATIENCE } from '#testing/patience';
import { type FleetHub, PLATFORM } from './fleet-hub.js';

const [FIRST, MIDDLE, LAST] = ['harbor-operator.v1.0.0', 'harbor-operator.v1.1.0', 'harbor-operator.v1.2.0'];
const SOAK_MS = 3_000;

type Wave = Readonly<{ name: string; phase: string; openedAt: string }>;
type Rollout = Readonly<{
  phase: string;
  reason: string;
  waves: readonly Wave[];
  classes: readonly Readonly<{ hash: string; approval: string; changes: readonly string[] }>[];
}>;

const wave = (tier: string) => ({
  name: tier,
  clusters: { selector: { matchLabels: { tier } } },
  soak: `${SOAK_MS}ms`,
});

/**
 * An install and an upgrade in three waves, lab, canary and the rest, one cluster each. The upgrade has two
 * hops and needs one approval; the controller that decides is killed while it is on its way.
 */
export async function rollOutInThreeWaves(fleet: FleetHub): Promise<void> {
  const [lab = '', canary = '', rest = ''] = fleet.names;
  const all = async () => Promise.all(fleet.names.map((name) => fleet.installed(name)));
  const rollout = async (name: string) => (await fleet.status('FleetRollout', name)) as Partial<Rollout>;
  const approval = { default: 'Auto', rules: [{ changes: ['Minor'], action: 'Manual', groups: ['board'] }] };
  await fleet.apply('FleetStrategy', 'careful', { waves: [wave('lab'), wave('canary')], approval });
  await fleet.apply('FleetOperator', 'harbor', {
    package: 'harbor-operator',
    namespace: 'harbors',
    catalog: { name: 'flotilla-samples', namespace: 'olm' },
    strategyRef: { name: 'careful' },
    adopt: true,
  });

  // The install needs no approval, and goes through the waves by itself.
  await expect.poll(async () => (await rollout('harbor-1')).phase, LONG_PATIENCE).toBe('Completed');
  expect(await all()).toEqual([FIRST, FIRST, FIRST]);

  // The upgrade is planned everywhere, and begins nowhere before it is approved.
  await fleet.offer('v2');
  const waiting = async () => (await rollout('harbor-2')).classes?.map(({ approval: state }) => state);
  await expect.poll(waiting, LONG_PATIENCE).toEqual(['Waiting']);
  expect(await all()).toEqual([FIRST, FIRST, FIRST]);
  const [planClass] = (await rollout('harbor-2')).classes ?? [];
  expect(planClass?.changes).toContain('Minor');
  expect(await pathOf(fleet, planClass?.hash ?? '')).toEqual([`${FIRST} → ${MIDDLE}`, `${MIDDLE} → ${LAST}`]);
  await fleet.apply('FleetDecision', 'approve-harbor-2', {
    rollout: 'harbor-2',
    action: 'Approve',
    class: planClass?.hash,
    reason: 'CHG-1182',
    by: { user: 'anna', groups: ['board'] },
  });
  await expect.poll(() => fleet.installed(lab), LONG_PATIENCE).toBe(LAST);

  // The one that stands by goes on, to the same end and in the same order.
  const leader = await fleet.leader();
  await leader.stop('SIGKILL');
  expect([await fleet.installed(canary), await fleet.installed(rest)]).not.toContain(undefined);
  await expect.poll(async () => (await rollout('harbor-2')).phase, LONG_PATIENCE).toBe('Completed');
  expect(await all()).toEqual([LAST, LAST, LAST]);
  expect(await rollout('harbor-3'), 'what follows is the second hop of the same path').toEqual({});
  expect(await fleet.leader()).not.toBe(leader);
  await expectOrder(fleet, (await rollout('harbor-2')) as Rollout);
  await expectApprover(fleet, planClass?.hash ?? '');
  expect(await fleet.status('FleetDecision', 'approve-harbor-2')).toMatchObject({ effective: true });
}

/** Each wave has opened only after the one before had soaked. */
async function expectOrder(fleet: FleetHub, { waves }: Rollout): Promise<void> {
  const doneAt = await Promise.all(
    fleet.names.map(async (name) => {
      const found = await fleet.hub.get({ apiVersion: FLEET_API, kind: 'FleetAssignment', name });
      const rows = storedRows(found ?? { metadata: {} });
      return rows[`${PLATFORM}/harbor-2`]?.row.doneAt ?? Number.NaN;
    }),
  );
  expect(waves.map(({ name, phase }) => `${name} ${phase}`)).toEqual([
    'lab Complete',
    'canary Complete',
    'rest Complete',
  ]);
  for (const [at, { openedAt }] of waves.entries()) {
    const before = doneAt[at - 1];
    if (before !== undefined) expect(Date.parse(openedAt)).toBeGreaterThanOrEqual(before + SOAK_MS);
  }
}

/** Returns the hops in the FleetPlan of a class. */
async function pathOf(fleet: FleetHub, hash: string): Promise<readonly string[]> {
  const ref = { apiVersion: FLEET_API, kind: 'FleetPlan', name: `harbor-2-${hash}`, namespace: PLATFORM };
  const read = async () => FleetPlan.safeParse(await fleet.hub.get(ref)).data?.spec.path ?? [];
  await expect.poll(async () => (await read()).length, LONG_PATIENCE).toBeGreaterThan(0);
  return (await read()).map(({ from, to }) => `${from} → ${to}`);
}

/** Expects one approved plan for each hop in each cluster, with the author of the approval. */
async function expectApprover(fleet: FleetHub, hash: string): Promise<void> {
  for (const name of fleet.names) {
    for (const bundle of [MIDDLE, LAST]) {
      const plans = await fleet.plansFor(name, bundle);
      const marks = plans.map(({ metadata }) => metadata.annotations?.['fleet.flotilla.dev/approved-by'] ?? '{}');
      expect(marks.map((mark) => JSON.parse(mark))).toEqual([
        { rollout: `${PLATFORM}/harbor-2`, class: hash, approvedBy: ['anna'] },
      ]);
    }
  }
}
