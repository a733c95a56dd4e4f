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

const RULES = (action: string) => ({ default: 'Auto', rules: [{ changes: ['Rollback'], action }] });
const conditions = async (): Promise<string[]> => {
  const { conditions: all = [] } = (await hub.fleet.rollout('kafka-1')) as { conditions?: Record<string, string>[] };
  return all.map(({ type, status, reason, message }) => `${type}=${status} ${reason} ${message}`);
};

describe('a rollout that a rule keeps from going back', () => {
  beforeAll(async () => {
    const waves = [{ ...LAB, soak: '0s' }];
    hub = await startPlayedHub(['lab-1', 'shop-1'], { waves, onFailure: 'RollBackAll', approval: RULES('Deny') });
    await play();
  });
  afterAll(() => hub.stop());

  it('says so, with what ends it', async () => {
    expect(await conditions()).toContain(
      'Degraded=True RollbackIncomplete wave lab: 1 failure, 0 accepted; a rule of the strategy denies Rollback: 1 cluster did not go back',
    );
    const { out } = await hub.flotilla('status', 'kafka-1');
    expect(out).toContain('\nDenied: rollback, 1 cluster (Rollback)\n');
    const abort =
      '  → flotilla fleet abort kafka-1 --reason "…"   (clusters do not change; a retry of the rollout then begins the target again)\n';
    expect(out).toContain(abort);
    expect(out).not.toContain('fleet rollback');
    const whole = await hub.flotilla('explain', 'kafka-1');
    expect(whole.out).toBe(
      'platform/kafka-1 has halted (RollbackIncomplete): it starts nothing without a decision.\n' +
        '  wave lab: 1 failure, 0 accepted\n  1 Failed (ApplyFailed): ImagePullBackOff [lab-1]\n' +
        `  a rule of the strategy denies Rollback: no cluster is rolled back\n${abort}`,
    );
    const one = await hub.flotilla('explain', 'kafka-1', '-C', 'lab-1');
    expect(one.out).toBe(
      'lab-1 could not be changed: ImagePullBackOff (ApplyFailed).\n' +
        `  it is not rolled back: a rule of the strategy denies Rollback (Denied)\n${abort}`,
    );
  });

  it('refuses a rollback with the reason, and ends as the advice says', async () => {
    const { err, exit } = await hub.decide('rollback', 'kafka-1', '--reason', 'CHG-1');
    expect(err).toMatch(/kafka-1 is not rolled back: .* if no rule denies it; it is Halted, RollbackIncomplete/);
    expect(exit).toBe(1);
    expect((await hub.decide('abort', 'kafka-1', '--reason', 'CHG-2')).exit).toBe(0);
    expect((await hub.flotilla('explain', 'kafka-1')).out).toContain('  → flotilla fleet retry kafka-1 --reason "…"');
  });
});

describe('a rollout whose returns wait for approval', () => {
  beforeAll(async () => {
    const waves = [{ ...LAB, soak: '0s' }];
    hub = await startPlayedHub(['lab-1', 'shop-1'], { waves, onFailure: 'RollBackAll', approval: RULES('Manual') });
    await play();
  });
  afterAll(() => hub.stop());

  it('says so, with the command that approves them', async () => {
    expect(await conditions()).toContain(
      'Progressing=False Approval class rollback is not approved: 1 cluster to go back',
    );
    const { out } = await hub.flotilla('status', 'kafka-1');
    expect(out).toContain(
      '\n1 class waits for approval: rollback, 1 cluster (Rollback)\n  → flotilla fleet plan kafka-1 --class rollback\n',
    );
    const needs =
      '  class rollback needs 1 approval of any user with the right\n' +
      '  → flotilla fleet approve kafka-1 --class rollback --reason "…"\n';
    expect((await hub.flotilla('explain', 'kafka-1')).out).toBe(
      'platform/kafka-1 is being rolled back (ThresholdExceeded): 0 in progress, 1 cluster waiting.\n' +
        needs.replace('  →', '  1 Failed (ApplyFailed): ImagePullBackOff [lab-1]\n  →'),
    );
    expect((await hub.flotilla('explain', 'kafka-1', '-C', 'lab-1')).out).toBe(
      `lab-1 could not be changed: ImagePullBackOff (ApplyFailed).\n  it will be rolled back to its previous version\n${needs}`,
    );
  });

  it('goes back once they are approved', async () => {
    const deciding = hub.flotilla('approve', 'kafka-1', '--class', 'rollback', '--reason', 'CHG-3', '--no-wait');
    expect((await deciding).exit).toBe(0);
    await play();
    expect((await hub.flotilla('status', 'kafka-1')).out).toContain('  RolledBack (AllRolledBack)   after ');
  });
});

describe('a rollout that went back', () => {
  beforeAll(async () => {
    const waves = [{ ...LAB, soak: '0s' }];
    hub = await startPlayedHub(['lab-1', 'shop-1', 'shop-2'], { waves, onFailure: 'RollBackAll' });
    await play();
  });
  afterAll(() => hub.stop());

  it('says which clusters had failed before, and why', async () => {
    const { out } = await hub.flotilla('status', 'kafka-1');
    expect(out).toContain('  RolledBack (AllRolledBack)   after ');
    expect(out).toContain('\n1 failed before the rollback: ImagePullBackOff [lab-1]\n');
  });

  it('is explained with what brings its target again, as a whole', async () => {
    const again = '  → flotilla fleet retry kafka-1 --reason "…"   (a new rollout of the same target)\n';
    const { out, exit } = await hub.flotilla('explain', 'kafka-1');
    expect(out).toBe(
      'platform/kafka-1 ended RolledBack (AllRolledBack): 0 of 3 done.\n' +
        '  1 failed before the rollback: ImagePullBackOff [lab-1]\n' +
        `  ${NEW} is not offered again before a Retry decision or a change of spec.versions\n${again}`,
    );
    expect(exit).toBe(1);
    const one = await hub.flotilla('explain', 'kafka-1', '-C', 'lab-1');
    expect(one.out).toBe(
      `lab-1 was rolled back to its version before ${NEW}.\n  the earlier failure: ImagePullBackOff\n${again}`,
    );
  });

  it('has its returns as a class, and its target as one that starts nowhere', async () => {
    const { out } = await hub.flotilla('plan', 'kafka-1');
    expect(out).toContain(
      `back from ${NEW} to the previous version of each, 1 cluster\n  class    rollback: Rollback\n`,
    );
    expect((await hub.flotilla('plan', 'kafka')).out).toContain(
      `note: ${NEW} was rolled back by platform/kafka-1: it starts nowhere before a Retry decision or a change of spec.versions\n`,
    );
  });

  it('is made anew by the command that its explanation names', async () => {
    expect((await hub.decide('retry', 'kafka-1', '--reason', 'the registry is back')).exit).toBe(0);
    expect((await hub.flotilla('status')).out).toMatch(/^platform\/kafka-2 /m);
    const again = await hub.flotilla('retry', 'kafka-1', '--reason', 'the registry is back');
    expect(again.err).toContain('is not retried: its subject has a newer rollout, platform/kafka-2; ');
  });
});
