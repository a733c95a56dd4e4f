import { afterEach, describe, expect, it } from 'vitest';
import type { FleetAssignment } from '#core/kernel/api/fleet/fleet-assignment';
import { FLEET_API } from '#core/kernel/api/fleet/fleet-fields';
import { readScenario } from '#core/rollout/simulation/read-scenario';
import { simulateChecked } from '#core/rollout/simulation/simulate-checked';
import { storedRows } from '../assignments/stored-rollout.js';
import { PlayedFleet } from './rollouts.fixture.js';

const NEW = 'kafka-operator.v2.4.0';
const NEWER = 'kafka-operator.v2.5.0';

let fleet: PlayedFleet | undefined;
afterEach(async () => {
  await fleet?.stop();
  fleet = undefined;
});

/** Two clusters; in one of them a user has approved a version that is newer than the other's next one. */
async function begun(versions: object): Promise<PlayedFleet> {
  fleet = await PlayedFleet.begin(['lab-1', 'shop-1'], () => ({}));
  await fleet.apply('FleetStrategy', 's', {});
  await fleet.cluster('shop-1').upgradeByHand(NEWER);
  await fleet.apply('FleetOperator', 'kafka', {
    ...{ package: 'kafka-operator', namespace: 'kafka-system', catalog: { name: 'c', namespace: 'olm' } },
    ...{ adopt: true, strategyRef: { name: 's' }, versions },
  });
  await fleet.cluster('lab-1').offer(NEW);
  await fleet.settle();
  return fleet;
}

async function rowIn(played: PlayedFleet, name: string): Promise<string> {
  const found = await played.hub.client.get({ apiVersion: FLEET_API, kind: 'FleetAssignment', name });
  const { phase, reason } = storedRows(found as unknown as FleetAssignment)['platform/kafka-1']?.row ?? {};
  return `${phase} ${reason}`;
}

describe('a cluster that has another version to get first', () => {
  const BETWEEN = 'kafka-operator.v2.3.5';
  const afterSoak = async (played: PlayedFleet) => {
    await played.clock.advance(2 * 3_600_000);
    await played.settle();
  };

  it('holds up no other one, and comes to the target by rollouts of its own', async () => {
    fleet = await PlayedFleet.begin(['lab-1', 'lab-2', 'shop-1'], () => ({}));
    await fleet.apply('FleetStrategy', 's', { waves: [{ name: 'all', maxConcurrent: '100%', soak: '1h' }] });
    await fleet.apply('FleetOperator', 'kafka', {
      ...{ package: 'kafka-operator', namespace: 'kafka-system', catalog: { name: 'c', namespace: 'olm' } },
      ...{ adopt: true, strategyRef: { name: 's' } },
    });
    await fleet.cluster('shop-1').offer(BETWEEN);
    await fleet.cluster('lab-1').offer(NEW);
    await fleet.cluster('lab-2').offer(NEW);
    await fleet.settle();
    expect(await fleet.cluster('lab-1').installed()).toBe(NEW);
    expect(await rowIn(fleet, 'shop-1')).toBe('Skipped OtherTarget');
    expect(await fleet.rollout('kafka-2')).toEqual({});
    await afterSoak(fleet);
    expect(await fleet.rollout('kafka-1')).toMatchObject({ phase: 'Completed', counts: { done: 2, skipped: 1 } });
    expect(await fleet.cluster('shop-1').installed()).toBe(BETWEEN);
    await afterSoak(fleet);
    expect(await fleet.rollout('kafka-2')).toMatchObject({ phase: 'Completed', counts: { done: 3 } });
    await fleet.cluster('shop-1').offer(NEW);
    await fleet.settle();
    expect(await fleet.cluster('shop-1').installed()).toBe(NEW);
    await afterSoak(fleet);
    expect(await fleet.rollout('kafka-3')).toMatchObject({ phase: 'Completed', counts: { done: 3 } });
    expect(await fleet.rollout('kafka-4')).toEqual({});
  });

  it('does not try again what has failed there, without a Retry', async () => {
    fleet = await PlayedFleet.begin(['lab-1', 'shop-1'], () => ({}));
    await fleet.apply('FleetStrategy', 's', { waves: [{ name: 'all', maxConcurrent: '100%', failureThreshold: 1 }] });
    await fleet.apply('FleetOperator', 'kafka', {
      ...{ package: 'kafka-operator', namespace: 'kafka-system', catalog: { name: 'c', namespace: 'olm' } },
      ...{ adopt: true, strategyRef: { name: 's' } },
    });
    fleet.cluster('shop-1').failing.add(NEW);
    for (const cluster of fleet.clusters) await cluster.offer(NEW);
    await fleet.settle();
    expect(await rowIn(fleet, 'shop-1')).toBe('Failed ApplyFailed');
    await fleet.cluster('lab-1').offer(NEWER);
    await fleet.settle();
    expect(await fleet.cluster('lab-1').installed()).toBe(NEWER);
    expect(await fleet.rollout('kafka-2')).toMatchObject({ phase: 'Completed', counts: { done: 1, skipped: 1 } });
    expect(await fleet.rollout('kafka-3')).toEqual({});
  });
});

describe('a cluster that has a newer version than the target of a rollout', () => {
  it('is up to date, and holds up no other one', async () => {
    const played = await begun({});
    expect(await rowIn(played, 'shop-1')).toBe('Done UpToDate');
    expect(await played.cluster('lab-1').installed()).toBe(NEW);
    expect(await played.cluster('shop-1').installed()).toBe(NEWER);
    expect(await played.rollout('kafka-1')).toMatchObject({ phase: 'Completed' });
  });

  it('is passed over where what it has is not allowed', async () => {
    const played = await begun({ range: '<2.5.0' });
    expect(await rowIn(played, 'shop-1')).toBe('Skipped VersionNotAllowed');
    expect(await played.cluster('lab-1').installed()).toBe(NEW);
    expect(await played.rollout('kafka-1')).toMatchObject({ phase: 'Completed' });
  });
});

describe('a cluster that goes ahead while a rollout changes it', () => {
  const operator = (versions: object) => ({
    ...{ package: 'kafka-operator', namespace: 'kafka-system', catalog: { name: 'c', namespace: 'olm' } },
    ...{ adopt: true, strategyRef: { name: 's' }, versions },
  });
  const strategy = {
    onFailure: 'RollBackAll',
    waves: [{ name: 'all', maxConcurrent: '100%', progressDeadline: '2m' }],
  };

  type Moment = 'before its plan is approved' | 'after its plan is approved';
  const isApproved = async (played: PlayedFleet) =>
    JSON.stringify(await played.cluster('lab-1').planOf(NEW)).includes('"approved":true');

  /** Two clusters are on their way; the users of one approve a newer version there. */
  async function gone(versions: object, moment: Moment): Promise<PlayedFleet> {
    fleet = await PlayedFleet.begin(['lab-1', 'lab-2'], () => ({}));
    await fleet.apply('FleetStrategy', 's', strategy);
    await fleet.apply('FleetOperator', 'kafka', operator(versions));
    for (const cluster of fleet.clusters) await cluster.offer(NEW);
    let isGone = false;
    const played = fleet;
    const lab = played.cluster('lab-1');
    // OLM takes its time there.
    if (moment === 'after its plan is approved') lab.play = async () => undefined;
    await played.settle(async () => {
      if (isGone || (await rowIn(played, 'lab-1')) !== 'Applying Started') return;
      if ((moment === 'after its plan is approved') !== (await isApproved(played))) return;
      isGone = true;
      Reflect.deleteProperty(lab, 'play');
      await lab.upgradeByHand(NEWER);
    });
    expect(isGone).toBe(true);
    await played.clock.advance(3 * 60_000);
    await played.settle();
    return played;
  }

  /** How it ends where it is rehearsed. */
  function rehearsed(versions: object, at: string): string[] {
    const subject = 'FleetOperator/platform/kafka';
    const manifest = (kind: string, name: string, spec: object) => ({
      value: { apiVersion: FLEET_API, kind, metadata: { name, namespace: 'platform' }, spec },
      where: 'test',
    });
    const script = [
      { at: '0s', release: { subject, to: NEW } },
      { at, install: { cluster: 'lab-1', subject, bundle: NEWER } },
    ];
    const { rollouts, clusters, invariants } = simulateChecked(
      readScenario({
        manifests: [manifest('FleetStrategy', 's', strategy), manifest('FleetOperator', 'kafka', operator(versions))],
        clusters: { value: { clusters: [{ name: 'lab-1' }, { name: 'lab-2' }] }, where: (path) => path.join('.') },
        faults: { value: { script }, where: (path) => path.join('.') },
        seed: '1',
        until: undefined,
      }),
      () => undefined,
    );
    expect(invariants.violations).toEqual([]);
    const rows = clusters.flatMap((one) => one.rows.map(({ phase, reason }) => `${phase} ${reason}`));
    return [...rows, ...rollouts.map(({ phase }) => phase)];
  }

  it.each([
    { moment: 'before its plan is approved', versions: {}, row: 'Done UpToDate' },
    { moment: 'after its plan is approved', versions: {}, row: 'Done UpToDate' },
    { moment: 'before its plan is approved', versions: { range: '<2.5.0' }, row: 'Skipped VersionNotAllowed' },
    { moment: 'after its plan is approved', versions: { range: '<2.5.0' }, row: 'Skipped VersionNotAllowed' },
  ] as const)('$moment comes to the end $row with $versions, and no other one is taken back', async (story) => {
    const { versions, moment, row } = story;
    const played = await gone(versions, moment);
    const rows = [await rowIn(played, 'lab-1'), await rowIn(played, 'lab-2')];
    expect(rows).toEqual([row, 'Done Healthy']);
    expect(await played.rollout('kafka-1')).toMatchObject({ phase: 'Completed' });
    expect([await played.cluster('lab-1').installed(), await played.cluster('lab-2').installed()]).toEqual([
      NEWER,
      NEW,
    ]);
    const found = await played.hub.client.get({ apiVersion: FLEET_API, kind: 'FleetAssignment', name: 'lab-1' });
    expect(found?.['status']).toMatchObject({ rows: [{ state: 'Ready', bundle: NEWER }] });
    // While it is applied, and while it is verified.
    for (const at of ['20s', '35s']) expect(rehearsed(versions, at)).toEqual([...rows, 'Completed']);
  });

  it('comes to an end in a rollout of another spec, too', async () => {
    fleet = await PlayedFleet.begin(['lab-1', 'lab-2'], () => ({}));
    const played = fleet;
    await played.apply('FleetStrategy', 's', strategy);
    await played.apply('FleetOperator', 'kafka', { ...operator({}), classic: { channel: 'beta' } });
    let isGone = false;
    await played.settle(async () => {
      if (isGone || (await rowIn(played, 'lab-1')) !== 'Applying Started') return;
      isGone = true;
      await played.cluster('lab-1').upgradeByHand(NEWER);
    });
    expect(isGone).toBe(true);
    await played.clock.advance(3 * 60_000);
    await played.settle();
    expect([await rowIn(played, 'lab-1'), await rowIn(played, 'lab-2')]).toEqual(['Done UpToDate', 'Done Healthy']);
    expect(await played.rollout('kafka-1')).toMatchObject({ phase: 'Completed' });
    expect(await played.cluster('lab-1').installed()).toBe(NEWER);
  });
});
