import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FleetBench } from './applier-support/fleet-bench.js';
import { LAMP_OPERATOR, LAMPS, lampPath } from './applier-support/lamp-operator.js';
import { type MadeVersion, offer } from './applier-support/made-operator.js';

/** Names of the clusters, and the versions that each has had. */
const seen = new Map<string, Set<unknown>>();
let fleet: FleetBench;
beforeEach(async () => {
  seen.clear();
  fleet = await FleetBench.start({ 'lab-1': {}, 'shop-1': {} }, LAMPS);
});
afterEach(() => fleet.stop());

const subscription = (name: string) => fleet.bench(name).subscriptions(LAMPS)[0]?.status;
const names = () => fleet.benches.map(({ client }) => client.cluster);
const installed = () => names().map((name) => subscription(name)?.installedCSV);
/** True if all have this version. Notes their versions meanwhile. */
const haveAll = (version: string) => () => {
  for (const name of names()) {
    seen.set(name, (seen.get(name) ?? new Set()).add(subscription(name)?.installedCSV));
  }
  return installed().every((one) => one === version);
};
const everHad = (version: string) => [...seen.values()].some((versions) => versions.has(version));
const offerAll = async (versions: readonly MadeVersion[]) => {
  for (const bench of fleet.benches) await offer(bench, 'lamp', versions);
};
const decide = (action: string) =>
  fleet.apply('FleetDecision', action.toLowerCase(), {
    ...{ rollout: 'lamp-2', action, reason: 'CHG-1', by: { user: 'anna', groups: [] } },
  });
const approve = (rollout: string) =>
  fleet.apply('FleetDecision', `approve-${rollout}`, {
    ...{ rollout, action: 'Approve', class: fleet.rollout(rollout).classes?.[0]?.hash, reason: 'CHG-1' },
    by: { user: 'anna', groups: [] },
  });
const [SECOND, THIRD] = [lampPath(2), lampPath(3)].map((all) => all.slice(-1)) as [MadeVersion[], MadeVersion[]];
const instead = (more: Partial<MadeVersion>) => THIRD.map((version) => ({ ...version, replaces: '1.1.0', ...more }));

const CASES: readonly (readonly [string, readonly MadeVersion[], string])[] = [
  ['removed from the catalog', lampPath(1), 'lamp.v1.1.0'],
  ['replaced by another', [...lampPath(1), ...instead({})], 'lamp.v1.3.0'],
  ['skipped', [...lampPath(1), ...SECOND, ...instead({ skips: ['1.2.0'] })], 'lamp.v1.3.0'],
];

const plansNext = () => names().some((name) => subscription(name)?.currentCSV === 'lamp.v1.2.0');

describe('a version that is withdrawn is not installed where it is', () => {
  beforeEach(async () => {
    await offerAll(lampPath(0));
    await fleet.apply('FleetOperator', 'lamp', LAMP_OPERATOR);
  });

  it.each(CASES)('%s after its plan was made in a cluster on its way', async (_how, versions, end) => {
    await fleet.apply('FleetStrategy', 's', {});
    await fleet.until(() => fleet.rollout('lamp-1').phase === 'Completed', 'the first version');
    await offerAll(lampPath(2));
    await fleet.until(() => installed().includes('lamp.v1.1.0'), 'the first hop');
    await decide('Pause');
    await fleet.until(plansNext, 'the plan of the second hop');
    await offerAll(versions);
    await fleet.pass();
    await decide('Resume');
    await fleet.until(haveAll(end), 'what the catalog still leads to');
    expect(everHad('lamp.v1.2.0')).toBe(false);
    await fleet.until(() => fleet.rollout('lamp-2').phase === 'Superseded', 'the end of the rollout');
  });

  it.each(CASES)('%s before its plan was made in a cluster on its way', async (_how, versions, end) => {
    await fleet.apply('FleetStrategy', 's', {});
    await fleet.until(() => fleet.rollout('lamp-1').phase === 'Completed', 'the first version');
    await offerAll(lampPath(2));
    await fleet.until(() => installed().includes('lamp.v1.1.0'), 'the first hop');
    expect(plansNext()).toBe(false);
    await offerAll(versions);
    await fleet.until(haveAll(end), 'what the catalog still leads to');
    expect(everHad('lamp.v1.2.0')).toBe(false);
    await fleet.until(() => fleet.rollout('lamp-2').phase === 'Superseded', 'the end of the rollout');
  });

  const FIX = instead({ version: '1.1.1', replaces: '1.0.0' });
  it.each([
    ['removed from the catalog, with a fix later', lampPath(0), 'lamp.v1.1.1'],
    ['replaced by another', [...lampPath(0), ...instead({ replaces: '1.0.0' })], 'lamp.v1.3.0'],
    ['skipped', [...lampPath(1), ...instead({ replaces: '1.0.0', skips: ['1.1.0'] })], 'lamp.v1.3.0'],
  ])('%s while its plan waits for approval', async (_how, versions, end) => {
    const rules = [{ changes: ['Minor'], action: 'Manual' }];
    await fleet.apply('FleetStrategy', 's', { approval: { rules, default: 'Auto' } });
    await fleet.until(() => fleet.rollout('lamp-1').phase === 'Completed', 'the first version');
    await offerAll(lampPath(1));
    await fleet.until(() => fleet.rollout('lamp-2').classes?.length === 1, 'what is to be approved');
    await offerAll(versions);
    await fleet.pass();
    await approve('lamp-2');
    const isTold = () =>
      fleet.rollout('lamp-2').counts?.['skipped'] === 2 || fleet.rollout('lamp-3').phase !== undefined;
    await fleet.until(isTold, 'that it is not to be had');
    if (versions.length === 1) await offerAll([...versions, ...FIX]);
    await fleet.until(() => fleet.rollout('lamp-3').classes?.length === 1, 'what is to be approved instead');
    expect(new Set(installed())).toEqual(new Set(['lamp.v1.0.0']));
    await approve('lamp-3');
    await fleet.until(haveAll(end), 'what the catalog leads to');
    expect(everHad('lamp.v1.1.0')).toBe(false);
    await fleet.until(() => fleet.rollout('lamp-3').phase === 'Completed', 'the end of the rollout');
    expect(fleet.rollout('lamp-2').phase).toBe('Superseded');
  });
});
