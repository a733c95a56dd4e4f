import { afterEach, expect, it } from 'vitest';
import { FleetBench } from './applier-support/fleet-bench.js';
import { LAMP_OPERATOR, LAMPS, lampPath } from './applier-support/lamp-operator.js';
import { offer } from './applier-support/made-operator.js';

let fleet: FleetBench;
afterEach(() => fleet.stop());

const CAUTIOUS = { overrides: [{ clusters: { selector: { matchLabels: { tier: 'shop' } } }, range: '<1.2.0' }] };
const installed = () => fleet.benches.map((bench) => bench.subscriptions(LAMPS)[0]?.status?.installedCSV);
const phaseOf = (name: string) => fleet.rollout(name).phase;
const approve = (name: string, hash: string | undefined) =>
  fleet.apply('FleetDecision', name, {
    ...{ rollout: 'lamp-2', action: 'Approve', class: hash, reason: 'CHG-1', by: { user: 'anna', groups: [] } },
  });

it.each([
  ['after the end of the longer path', 'lamp.v1.3.0'],
  ['between two hops of the longer path', 'lamp.v1.1.0'],
])('brings clusters over paths of three hops and of one in one rollout, approved %s', async (_when, atThen) => {
  fleet = await FleetBench.start({ 'lab-1': { tier: 'lab' }, 'shop-1': { tier: 'shop' } }, LAMPS);
  await fleet.apply('FleetStrategy', 's', {
    approval: { rules: [{ changes: ['Minor'], action: 'Manual' }], default: 'Auto' },
  });
  for (const bench of fleet.benches) await offer(bench, 'lamp', lampPath(0));
  await fleet.apply('FleetOperator', 'lamp', { ...LAMP_OPERATOR, ...CAUTIOUS });
  await fleet.until(() => phaseOf('lamp-1') === 'Completed', 'the first version');
  for (const bench of fleet.benches) await offer(bench, 'lamp', lampPath(3));
  await fleet.until(() => fleet.rollout('lamp-2').classes?.length === 2, 'a class of each path');
  expect(['lab-1', 'shop-1'].map((name) => fleet.report(name)?.['planned'])).toEqual(['lamp.v1.3.0', 'lamp.v1.1.0']);
  const hashOf = (name: string) => String(fleet.report(name)?.['planHash']).slice(0, 12);
  await approve('long', hashOf('lab-1'));
  await fleet.until(() => installed()[0] === atThen, 'the longer path');
  expect(installed(), 'the other has not been approved').toEqual([atThen, 'lamp.v1.0.0']);
  await approve('short', hashOf('shop-1'));
  await fleet.until(() => phaseOf('lamp-2') === 'Completed', 'both');
  expect(installed(), 'none was set aside meanwhile').toEqual(['lamp.v1.3.0', 'lamp.v1.1.0']);
  for (let pass = 0; pass < 6; pass++) await fleet.pass();
  expect(installed()).toEqual(['lamp.v1.3.0', 'lamp.v1.1.0']);
  expect(fleet.rollout('lamp-2').counts).toMatchObject({ done: 2, skipped: 0 });
  expect(fleet.rollout('lamp-3')).toEqual({});
});
