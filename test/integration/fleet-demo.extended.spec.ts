import { describe, it } from 'vitest';
import { LONG_PATIENCE } from '#testing/patience';
import { startDemo } from '../story/running-demo.js';

describe('the fleet at the end of flotilla demo', () => {
  it('stops a bad version in canary, takes it back, and says who approved it', async ({ expect, onTestFinished }) => {
    const running = startDemo(onTestFinished);
    await expect.poll(() => running.out, LONG_PATIENCE).toContain('flotilla demo fleet\n');
    expect(await running.ended).toEqual({ code: 0, signal: null });
    expect(running.err).toBe('');
    const [, fleet = ''] = running.out.split('A hub and a fleet of 6 simulated clusters');
    expect(fleet).toContain('$ flotilla fleet approve lighthouse-1 --all-classes --reason "CHG-1182"');
    expect(fleet).toMatch(/class \w{12} of lighthouse-1 approved by anna \(1 of 1\): 6 clusters may start/);
    expect(fleet).toMatch(/Message to the team:\n {2}\| .*WaitsForApproval: FleetOperator\/platform\/lighthouse\n/);
    expect(fleet).toMatch(/canary store-02 \w+ {2}(Verifying → Failed \(GateRed\)|\w+ → RollingBack)/);
    expect(fleet).toMatch(/lab store-01 rollback {2}RollingBack → RolledBack \(Returned\)/);
    expect(fleet).not.toMatch(/store-0[456] \w+ {2}Waiting → Applying/);
    expect(fleet).toMatch(/^platform\/lighthouse-1 +lighthouse-operator\.v1\.1\.0 +RolledBack +lab +0\/1 /m);
    expect(fleet).toMatch(/^Approve lighthouse-1, class \w{12} +anna +CHG-1182$/m);
  });
});
