import { afterEach, describe, expect, it } from 'vitest';
import { FleetBench } from './applier-support/fleet-bench.js';
import { LAMP_OPERATOR, LAMPS } from './applier-support/lamp-operator.js';
import { type MadeVersion, offer } from './applier-support/made-operator.js';

const FIRST = { version: '1.0.0', objects: [] };
const SECOND = { version: '1.1.0', replaces: '1.0.0', objects: [] };

describe('what a FleetOperator does not let into its clusters', () => {
  let fleet: FleetBench;
  afterEach(() => fleet.stop());

  async function started(spec: object, offered: readonly MadeVersion[] = [FIRST]): Promise<void> {
    fleet = await FleetBench.start({ 'lab-1': {} }, LAMPS);
    await offer(fleet.bench('lab-1'), 'lamp', offered);
    // A wave without a soak: the first cluster does not delay the others.
    await fleet.apply('FleetStrategy', 's', {});
    await fleet.apply('FleetOperator', 'lamp', { ...LAMP_OPERATOR, ...spec });
  }
  const installed = () => fleet.bench('lab-1').describe(LAMPS);
  const passes = async (count: number) => {
    for (let pass = 0; pass < count; pass++) await fleet.pass();
  };

  it.each([
    [{ deny: ['1.1.0'] }, 'spec.versions.deny has 1.1.0'],
    [{ range: '<1.1.0' }, 'spec.versions.range <1.1.0 excludes 1.1.0'],
  ])('installs what %j allows, and nothing after that', async (versions, message) => {
    await started({ versions });
    await fleet.until(() => installed() === 'lamp.v1.0.0 Succeeded', 'the first version');
    await offer(fleet.bench('lab-1'), 'lamp', [FIRST, SECOND]);
    await passes(8);
    expect(installed()).toBe('lamp.v1.0.0 Succeeded');
    expect(fleet.rollout('lamp-2')).toEqual({});
    expect(fleet.report('lab-1')?.['message']).toContain(message);
  });

  it('begins with the newest version that is allowed where the channel has newer ones', async () => {
    const THIRD = { version: '1.2.0', replaces: '1.1.0', objects: [] };
    await started({ versions: { deny: ['1.2.0'] } }, [FIRST, SECOND, THIRD]);
    await fleet.until(() => installed() === 'lamp.v1.1.0 Succeeded', 'the version before the denied one');
    await passes(8);
    expect(installed()).toBe('lamp.v1.1.0 Succeeded');
    expect(fleet.rollout('lamp-1')).toMatchObject({ phase: 'Completed', classes: [{ changes: ['Install'] }] });
    expect(fleet.bench('lab-1').subscriptions(LAMPS)[0]?.spec.startingCSV).toBe('lamp.v1.1.0');
    expect(fleet.report('lab-1')?.['message']).toContain('spec.versions.deny has 1.2.0');
  });
});
