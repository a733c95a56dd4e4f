import { expect } from 'vitest';
import { FLEET_API } from '#core/kernel/api/fleet/fleet-fields';
import { storedRows } from '#lifecycle/rollouts/assignments/stored-rollout';
import { LONG_PATIENCE } from '#testing/patience';
import { madeDeployment } from '../integration/applier-support/made-operator.js';
import { type FleetHub, PLATFORM } from './fleet-hub.js';
import { OfferedCatalog } from './offered-catalog.js';

const [PACKAGE, ROLLOUT] = ['anchor', 'anchor-2'];
const [BEFORE, AFTER] = [`${PACKAGE}.v1.0.0`, `${PACKAGE}.v1.1.0`];
type Classes = readonly Readonly<{ hash: string; approval: string }>[];

/**
 * Plays an upgrade in the waves of `rollOutInThreeWaves`: approved in a freeze, and lifted by a member of its
 * group.
 */
export async function holdWhileFrozen(fleet: FleetHub): Promise<void> {
  const all = () => Promise.all(fleet.names.map((name) => fleet.installed(name, PACKAGE, PACKAGE)));
  const made = { objects: [], deployments: [madeDeployment(PACKAGE, PACKAGE)] };
  const catalog = new OfferedCatalog(fleet, 'anchors');
  await catalog.offer(PACKAGE, [{ version: '1.0.0', ...made }]);
  await catalog.serve();
  await fleet.apply('FleetOperator', PACKAGE, {
    ...{ package: PACKAGE, namespace: PACKAGE, catalog: { name: 'anchors', namespace: 'olm' } },
    strategyRef: { name: 'careful' },
    classic: { channel: 'stable', operatorGroup: { targetNamespaces: [PACKAGE] } },
  });
  await expect.poll(all, LONG_PATIENCE).toEqual([BEFORE, BEFORE, BEFORE]);
  await fleet.apply('FleetWindow', 'freeze', { type: 'Deny', breakGlassGroups: ['night-shift'] });
  await catalog.offer(PACKAGE, [
    { version: '1.0.0', ...made },
    { version: '1.1.0', replaces: '1.0.0', ...made },
  ]);
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

  // A user without the group changes nothing; one with it lifts the freeze for this rollout alone.
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
