import { afterEach, describe, expect, it } from 'vitest';
import { FleetBench } from './applier-support/fleet-bench.js';
import { LAMP_OPERATOR, LAMPS, lampPath } from './applier-support/lamp-operator.js';
import { type MadeVersion, madeCrd, madeDeployment, offer } from './applier-support/made-operator.js';

const lab = { name: 'lab', clusters: { selector: { matchLabels: { tier: 'lab' } } }, progressDeadline: '10m' };
/** Its pod is for a node that no cluster has. */
const BROKEN = { deployments: [madeDeployment('lamp', 'lamp', { nodeSelector: { disk: 'none' } })] };
/** It needs a kind that clusters do not serve yet. */
const LACKING = { spec: { nativeAPIs: [{ group: 'bulb.example.com', version: 'v1', kind: 'Bulb' }] } };
const BULBS = madeCrd({ kind: 'Bulb', group: 'bulb.example.com' }, [{ name: 'v1', storage: true }]);

describe('a path of three hops', () => {
  let fleet: FleetBench;
  afterEach(() => fleet.stop());

  const installed = () => fleet.benches.map((bench) => bench.subscriptions(LAMPS)[0]?.status?.installedCSV);
  const phaseOf = (name: string) => fleet.rollout(name).phase;
  const passes = async (count: number) => {
    for (let pass = 0; pass < count; pass++) await fleet.pass();
  };
  const denied = () =>
    (fleet.status('FleetOperator', 'lamp') as { denied?: { bundle: string; rollout: string }[] }).denied?.map(
      ({ bundle, rollout }) => `${bundle} ${rollout}`,
    );
  const decide = (action: string) =>
    fleet.apply('FleetDecision', action.toLowerCase(), {
      ...{ rollout: 'lamp-2', action, reason: 'CHG-1', by: { user: 'anna', groups: [] } },
    });

  /** Starts both clusters with 1.0.0. 1.1.0, 1.2.0 and 1.3.0 come at once; one of them does not start. */
  async function started(minor: number, broken: Partial<MadeVersion>, strategy: object): Promise<void> {
    fleet = await FleetBench.start({ 'lab-1': { tier: 'lab' }, 'shop-1': {} }, LAMPS);
    await fleet.apply('FleetStrategy', 's', { waves: [lab], ...strategy });
    for (const bench of fleet.benches) await offer(bench, 'lamp', lampPath(0));
    await fleet.apply('FleetOperator', 'lamp', LAMP_OPERATOR);
    await fleet.until(() => phaseOf('lamp-1') === 'Completed', 'the first version');
    for (const bench of fleet.benches) await offer(bench, 'lamp', lampPath(3, { [minor]: broken }));
    await fleet.until(() => installed()[0] === `lamp.v1.${minor}.0`, 'the version that does not start');
    await fleet.clock.advance(11 * 60_000);
  }

  it('stops at the version that does not come up, and says which step and version that is', async () => {
    await started(2, BROKEN, {});
    await fleet.until(() => phaseOf('lamp-2') === 'Halted', 'the halt');
    await passes(4);
    expect(installed()).toEqual(['lamp.v1.2.0', 'lamp.v1.0.0']);
    expect(fleet.rollout('lamp-2')).toMatchObject({
      failures: [{ reason: 'ProgressDeadlineExceeded', cause: 'step 2 of 3', sample: ['lab-1'] }],
    });
    expect(fleet.report('lab-1')?.['message']).toMatch(/^lamp\.v1\.2\.0 is Installing: .*lamp/);
  });

  it('goes back to what was there before the first, and what failed is not tried a second time', async () => {
    await started(2, BROKEN, { onFailure: 'RollBackAll' });
    const seen: unknown[] = [];
    const isOver = () => {
      const [now] = installed();
      if (now !== undefined && now !== seen.at(-1)) seen.push(now);
      return phaseOf('lamp-3') === 'Completed';
    };
    await fleet.until(isOver, 'the rollout of what comes before the version that failed');
    expect(seen.slice(-2)).toEqual(['lamp.v1.0.0', 'lamp.v1.1.0']);
    expect(seen.length, 'nothing comes a second time').toBeLessThanOrEqual(3);
    expect(phaseOf('lamp-2')).toBe('RolledBack');
    expect(denied()).toEqual(['lamp.v1.2.0 platform/lamp-2', 'lamp.v1.3.0 platform/lamp-2']);
    await passes(8);
    expect(installed()).toEqual(['lamp.v1.1.0', 'lamp.v1.1.0']);
    expect(fleet.rollout('lamp-4')).toEqual({});
  });

  it('whose first version fails leaves clusters at what they had, until it is tried again', async () => {
    await started(1, LACKING, { onFailure: 'RollBackAll' });
    await fleet.until(() => phaseOf('lamp-2') === 'RolledBack', 'the return');
    await passes(8);
    expect(installed()).toEqual(['lamp.v1.0.0', 'lamp.v1.0.0']);
    expect(fleet.rollout('lamp-3'), 'nothing leads over it').toEqual({});
    for (const { cluster } of fleet.benches) cluster.create(BULBS);
    await decide('Retry');
    await fleet.until(() => phaseOf('lamp-3') === 'Completed', 'the whole path');
    await passes(4);
    expect(installed()).toEqual(['lamp.v1.3.0', 'lamp.v1.3.0']);
    expect(denied()).toEqual([]);
    expect(fleet.rollout('lamp-4')).toEqual({});
  });
});
