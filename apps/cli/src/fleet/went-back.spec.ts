import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AssignmentReport, AssignmentRow } from '#core/kernel/api/fleet/fleet-assignment';
import { FLEET_API } from '#core/kernel/api/fleet/fleet-fields';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { NEW, OLD, type PlayedHub, startPlayedHub } from './played-hub.fixture.js';

const LAB = { name: 'lab', clusters: { selector: { matchLabels: { tier: 'lab' } } } };
const HASH = 'ab'.repeat(32);
const PASSES = 8;
let hub: PlayedHub;

/** What a cluster reports where the target fails, and where it comes back from it. */
function reportOf({ subject, rollout, attempt = 0, order }: AssignmentRow): Partial<AssignmentReport> {
  const own = { subject, attempt, ...(rollout === undefined ? {} : { rollout }), bundle: OLD, healthy: true };
  const denied = [{ bundle: NEW, scope: 'Operator' as const, rollout: rollout ?? '' }];
  const plan = { planned: NEW, planHash: HASH, hops: [HASH], changes: ['Minor' as const] };
  if (order === 'Go') return { ...own, state: 'Failed', hop: 1, message: 'ImagePullBackOff' };
  if (order === 'Return') return { ...own, ...plan, state: 'Failed', reason: 'Returned', denied };
  return { ...own, ...plan, state: 'Planned', ...(rollout === undefined ? {} : { denied }) };
}

/** Controller and clusters at work. */
async function play(): Promise<void> {
  const { client } = hub.fleet.hub;
  for (let pass = 0; pass < PASSES; pass++) {
    await hub.fleet.controller.pass();
    for (const { name } of hub.fleet.clusters) {
      const found = await client.get({ apiVersion: FLEET_API, kind: 'FleetAssignment', name });
      const { rows = [] } = (found?.['spec'] ?? {}) as { rows?: AssignmentRow[] };
      await client.updateStatus({ ...found, status: { rows: rows.map(reportOf) } } as KubernetesObject);
    }
  }
}

describe('a roll-out that went back', () => {
  beforeAll(async () => {
    const waves = [{ ...LAB, soak: '0s' }];
    hub = await startPlayedHub(['lab-1', 'shop-1', 'shop-2'], { waves, onFailure: 'RollBackAll' });
    await play();
  });
  afterAll(() => hub.stop());

  it('says which clusters had failed before, and why', async () => {
    const { out } = await hub.flotilla('status', 'kafka-1');
    expect(out).toContain('  RolledBack (AllRolledBack)   after ');
    expect(out).toContain('\n1 failed before going back: ImagePullBackOff [lab-1]\n');
  });

  it('is explained with what brings its target again, as a whole', async () => {
    const again = '  → flotilla fleet retry kafka-1 --reason "…"   (a new roll-out of the same target)\n';
    const { out, exit } = await hub.flotilla('explain', 'kafka-1');
    expect(out).toBe(
      'platform/kafka-1 has ended RolledBack (AllRolledBack): 0 of 3 done.\n' +
        '  1 failed before going back: ImagePullBackOff [lab-1]\n' +
        `  ${NEW} is not offered again before a Retry decision or a change of spec.versions\n${again}`,
    );
    expect(exit).toBe(1);
    const one = await hub.flotilla('explain', 'kafka-1', '-C', 'lab-1');
    expect(one.out).toBe(
      `lab-1 has gone back to what it had before ${NEW}.\n  it had failed before: ImagePullBackOff\n${again}`,
    );
  });

  it('has its returns as a class, and its target as one that starts nowhere', async () => {
    const { out } = await hub.flotilla('plan', 'kafka-1');
    expect(out).toContain(`back from ${NEW}, to what each had before, 1 cluster\n  class    rollback: Rollback\n`);
    expect((await hub.flotilla('plan', 'kafka')).out).toContain(
      `note: ${NEW} was taken back by platform/kafka-1: it starts nowhere before a Retry decision or a change of spec.versions\n`,
    );
  });

  it('is made anew by the command that its explanation names', async () => {
    expect((await hub.decide('retry', 'kafka-1', '--reason', 'the registry is back')).exit).toBe(0);
    expect((await hub.flotilla('status')).out).toMatch(/^platform\/kafka-2 /m);
  });
});
