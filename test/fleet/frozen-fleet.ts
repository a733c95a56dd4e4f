import { expect } from 'vitest';
import { FLEET_API } from '#core/kernel/api/fleet/fleet-fields';
import { storedRows } from '#lifecycle/fleet/rollouts/stored-rollout';
import { LONG_PATIENCE } from '#testing/patience';
import { type FleetHub, PLATFORM } from './fleet-hub.js';

const ROLLOUT = 'harbor-3';
const [BEFORE, AFTER] = ['harbor-operator.v1.1.0', 'harbor-operator.v1.2.0'];
type Classes = readonly Readonly<{ hash: string; approval: string }>[];

/** The second hop of the upgrade of `rollOutInThreeWaves`: approved in a freeze, and lifted by who may. */
export async function holdWhileFrozen(fleet: FleetHub): Promise<void> {
  const all = () => Promise.all(fleet.names.map((name) => fleet.installed(name)));
  await fleet.apply('FleetWindow', 'freeze', { type: 'Deny', breakGlassGroups: ['night-shift'] });
  const classes = async () => ((await fleet.status('FleetRollout', ROLLOUT))['classes'] ?? []) as Classes;
  await expect.poll(async () => (await classes()).map(({ approval }) => approval), LONG_PATIENCE).toEqual(['Waiting']);
  const [planClass] = await classes();
  await decide(fleet, 'approve-in-a-freeze', {
    action: 'Approve',
    class: planClass?.hash,
    by: { user: 'anna', groups: ['board'] },
  });
  const reasons = () =>
    Promise.all(
      fleet.names.map(async (name) => {
        const found = await fleet.hub.get({ apiVersion: FLEET_API, kind: 'FleetAssignment', name });
        return storedRows(found ?? { metadata: {} })[`${PLATFORM}/${ROLLOUT}`]?.row.reason;
      }),
    );
  await expect.poll(async () => (await reasons())[0], LONG_PATIENCE).toBe('Frozen');
  expect(await all()).toEqual([BEFORE, BEFORE, BEFORE]);

  // A user without the group changes nothing; one with it lifts the freeze for this roll-out alone.
  const until = new Date();
  until.setUTCHours(until.getUTCHours() + 1);
  const lift = { action: 'BreakGlass', expiresAt: until.toISOString() };
  await decide(fleet, 'lift-without-group', { ...lift, by: { user: 'otto', groups: ['day-shift'] } });
  expect(await answer(fleet, 'lift-without-group')).toMatchObject({ effective: false, reason: 'NotAllowed' });
  expect(await all()).toEqual([BEFORE, BEFORE, BEFORE]);
  await decide(fleet, 'lift', { ...lift, by: { user: 'bert', groups: ['night-shift'] } });
  expect(await answer(fleet, 'lift')).toMatchObject({ effective: true });
  await expect
    .poll(async () => (await fleet.status('FleetRollout', ROLLOUT))['phase'], LONG_PATIENCE)
    .toBe('Completed');
  expect(await all()).toEqual([AFTER, AFTER, AFTER]);
  await fleet.hub.delete({ apiVersion: FLEET_API, kind: 'FleetWindow', name: 'freeze' });
}

const decide = (fleet: FleetHub, name: string, spec: object): Promise<void> =>
  fleet.apply('FleetDecision', name, { rollout: ROLLOUT, reason: 'CHG-1183', ...spec });

async function answer(fleet: FleetHub, name: string): Promise<unknown> {
  const at = async () => (await fleet.status('FleetDecision', name))['at'];
  await expect.poll(at, LONG_PATIENCE).toBeDefined();
  return fleet.status('FleetDecision', name);
}
