import { afterEach, describe, expect, it } from 'vitest';
import { buildImage } from '#platform/registry/image-builder';
import { makeDecisions } from '../../apps/cli/src/commands/fleet/decide/make-decisions.js';
import { explainFleet } from '../../apps/cli/src/commands/fleet/explain/explain-fleet.js';
import { showPlan } from '../../apps/cli/src/commands/fleet/plan/show-plan.js';
import { showRollouts } from '../../apps/cli/src/commands/fleet/status/show-rollouts.js';
import { recorder } from '../../apps/cli/src/run-flotilla.fixture.js';
import { FleetBench } from './applier-support/fleet-bench.js';
import { LAMP_OPERATOR, LAMPS, lampPath } from './applier-support/lamp-operator.js';
import { type MadeVersion, madeDeployment, offer } from './applier-support/made-operator.js';

const TWO = { 'lab-1': { tier: 'lab' }, 'shop-1': { tier: 'shop' } };
const LAB = { name: 'lab', clusters: { selector: { matchLabels: { tier: 'lab' } } }, progressDeadline: '10m' };
const MANUAL = { approval: { rules: [{ changes: ['Minor'], action: 'Manual' }], default: 'Auto' } };
/** Its pod is for a node that no cluster has. */
const BROKEN = { deployments: [madeDeployment('lamp', 'lamp', { nodeSelector: { disk: 'none' } })] };

describe('what is printed of a rollout whose paths have several steps', () => {
  let fleet: FleetBench;
  afterEach(() => fleet.stop());

  const offerAll = async (versions: readonly MadeVersion[]) => {
    for (const bench of fleet.benches) await offer(bench, 'lamp', versions);
  };
  const installed = () => fleet.benches.map((bench) => bench.subscriptions(LAMPS)[0]?.status?.installedCSV);
  const phaseOf = (name: string) => fleet.rollout(name).phase;
  const passes = async (count: number) => {
    for (let pass = 0; pass < count; pass++) await fleet.pass();
  };
  const decide = (action: string) =>
    fleet.apply('FleetDecision', action.toLowerCase(), {
      ...{ rollout: 'lamp-2', action, reason: 'CHG-1', by: { user: 'anna', groups: [] } },
    });

  /** Both clusters have 1.0.0. */
  async function begin(strategy: object, operator: object = {}): Promise<void> {
    fleet = await FleetBench.start(TWO, LAMPS);
    await fleet.apply('FleetStrategy', 's', strategy);
    await offerAll(lampPath(0));
    await fleet.apply('FleetOperator', 'lamp', { ...LAMP_OPERATOR, ...operator });
    await fleet.until(() => phaseOf('lamp-1') === 'Completed', 'the first version');
  }

  const status = async (rollout?: string, columns?: number): Promise<string> => {
    const { result, io } = recorder();
    const terminal = columns === undefined ? io : { ...io, columns };
    await showRollouts(fleet.hub.client, terminal, { rollout, output: 'table', all: false }, fleet.clock.now());
    return result.out;
  };
  const explain = async (what: string, cluster?: string): Promise<string> => {
    const { result, io } = recorder();
    await explainFleet(fleet.hub.client, io, { what, cluster, output: 'text' }, fleet.clock.now());
    return result.out;
  };
  const retry = async (rollout: string): Promise<string> => {
    const { result, io } = recorder();
    const terms = { dryRun: false, wait: false, timeout: '1s', output: 'text' } as const;
    await makeDecisions(fleet.hub.client, io, { action: 'Retry', rollout, reason: 'CHG-2', ...terms });
    return `${result.exit} ${result.err}${result.out}`;
  };
  const plan = async (name: string): Promise<string> => {
    const { result, io } = recorder();
    await showPlan(fleet.hub.client, io, { name, output: 'text' }, fleet.clock.now());
    return result.out;
  };

  it('names the end of the path of each class, where clusters have other versions', async () => {
    await begin(MANUAL, {
      overrides: [{ clusters: { selector: { matchLabels: { tier: 'shop' } } }, range: '<1.2.0' }],
    });
    await offerAll(lampPath(3));
    await fleet.until(() => fleet.rollout('lamp-2').classes?.length === 2, 'a class of each path');
    expect(await plan('lamp-2')).toMatch(/lamp\.v1\.0\.0 → lamp\.v1\.3\.0, 3 hops(.*\n)+.* → lamp\.v1\.1\.0, 1 hop,/);
    expect(await status('lamp-2')).toContain('1 cluster (Minor) to lamp.v1.1.0\n');
    for (const { hash } of fleet.rollout('lamp-2').classes ?? []) {
      const by = { user: 'anna', groups: [] };
      const approval = { rollout: 'lamp-2', action: 'Approve', class: hash, reason: 'CHG-1', by };
      await fleet.apply('FleetDecision', `of-${hash}`, approval);
    }
    await fleet.until(() => fleet.rollout('lamp-2').counts?.['done'] === 2, 'both');
    expect(await explain('lamp-2', 'lab-1')).toBe('lab-1 has lamp.v1.3.0, healthy.\n');
    expect(await explain('lamp-2', 'shop-1')).toBe('shop-1 has lamp.v1.1.0, healthy.\n');
  });

  it('says which version failed and why, and what is not tried again', async () => {
    await begin({ waves: [LAB] });
    await offerAll(lampPath(3, { 2: BROKEN }));
    await fleet.until(() => installed()[0] === 'lamp.v1.2.0', 'the version that does not start');
    await fleet.clock.advance(11 * 60_000);
    await fleet.until(() => phaseOf('lamp-2') === 'Halted', 'the halt');
    await passes(4);
    expect(await explain('lamp-2')).toMatch(/: step 2 of 3 \[lab-1\]\n {2}lab-1: lamp\.v1\.2\.0 is Installing: /);
    const short = /: step 2 of 3 \[lab-1\]\n {2}lab-1: lamp\.v1\.2\.0 is Installing: .{20,50}…\n {2}→ flotilla fleet /;
    expect(await status('lamp-2', 80)).toMatch(short);
    expect(await plan('lamp-2')).toContain('example.com/manager:1  (only during the upgrade)\n');
    await decide('Rollback');
    await fleet.until(() => phaseOf('lamp-2') === 'RolledBack', 'the return');
    const denied = 'lamp.v1.2.0 and lamp.v1.3.0 are not offered again before ';
    expect(await explain('lamp-2')).toContain(`${denied}a Retry decision or a change of spec.versions\n`);
    expect(await explain('lamp-2', 'lab-1')).toContain('\n  the earlier failure: step 2 of 3\n');
    expect(await explain('lamp-2', 'shop-1')).toMatch(/^shop-1 was not changed: its rollout ended Rolled/);
    await fleet.until(() => phaseOf('lamp-3') === 'Completed', 'what comes before it');
    expect(await explain('lamp-2'), 'no Retry applies by now').toContain(`${denied}a change of spec.versions\n`);
  });

  it('advises what helps where the target was withdrawn, which neither a promotion nor an approval does', async () => {
    await begin(MANUAL);
    await offerAll(lampPath(1));
    await fleet.until(() => fleet.rollout('lamp-2').classes?.length === 1, 'what is to be approved');
    await offerAll(lampPath(0));
    await fleet.until(() => fleet.rollout('lamp-2').counts?.['skipped'] === 2, 'that it is not to be had');
    const withdrawn = 'lamp.v1.1.0 was withdrawn: no cluster has it, and no catalog leads to it\n';
    const whole = await status('lamp-2');
    expect(whole).toContain(`\n${withdrawn}  → flotilla fleet abort lamp-2 `);
    expect(whole).not.toMatch(/promote|for approval/);
    expect(await status()).toMatch(/ 0\/2 +0 +target withdrawn\n/);
    const why = await explain('lamp-2');
    expect(why).toMatch(/ cannot continue, and ends with the next target\.\n/);
    expect(why).toMatch(
      /\n {2}lab-1: InstallPlan \S+ waits for lamp\.v1\.1\.0, .*\n {2}→ flotilla fleet abort lamp-2 /,
    );
    await decide('Abort');
    await fleet.until(() => phaseOf('lamp-2') === 'Aborted', 'the end');
    expect(await explain('lamp-2'), 'a retry would bring the same').not.toContain('→');
    expect(await retry('lamp-2')).toBe(
      `1 error: lamp-2 is not retried: ${withdrawn.trim()}; the next version of the catalog gets a rollout of its own\n`,
    );
  });

  it.each(['before', 'after'])('advises no retry where the target was withdrawn %s it was taken back', async (when) => {
    await begin({ waves: [LAB] });
    await offerAll(lampPath(1, { 1: BROKEN }));
    await fleet.until(() => installed()[0] === 'lamp.v1.1.0', 'the version that does not start');
    await fleet.clock.advance(11 * 60_000);
    await fleet.until(() => phaseOf('lamp-2') === 'Halted', 'the halt');
    if (when === 'before') await offerAll(lampPath(0));
    await decide('Rollback');
    await fleet.until(() => phaseOf('lamp-2') === 'RolledBack', 'the return');
    await passes(4);
    if (when === 'after') await offerAll(lampPath(0));
    await passes(4);
    const withdrawn = 'lamp.v1.1.0 was withdrawn: no cluster has it, and no catalog leads to it';
    expect(await retry('lamp-2')).toContain(`1 error: lamp-2 is not retried: ${withdrawn}; `);
    const why = await explain('lamp-2');
    expect(why).toContain(`  lamp.v1.1.0 is not offered again before a change of spec.versions\n  ${withdrawn}\n`);
    expect(why).not.toContain('→');
    await offerAll(lampPath(1));
    await passes(4);
    expect(await explain('lamp-2'), 'it is offered again').toContain('  → flotilla fleet retry lamp-2 ');
    expect(await retry('lamp-2')).toMatch(/^0 decision \S+ made: retry lamp-2 /);
    await fleet.until(() => phaseOf('lamp-3') === 'Progressing', 'the same target anew');
  });

  it('says that clusters are waiting between two steps, by what, and that they were left there', async () => {
    await begin({});
    await offerAll(lampPath(2));
    await fleet.until(() => installed().includes('lamp.v1.1.0'), 'the first step');
    const first = fleet.benches[installed().indexOf('lamp.v1.1.0')]?.client.cluster ?? '';
    await fleet.apply('FleetWindow', 'fair', { type: 'Deny', schedule: { cron: '0 0 * * *', duration: '1h' } });
    await passes(4);
    expect(await status('lamp-2')).toContain('\n1 waiting between two steps (WindowClosed) · 1 ');
    expect(await explain('lamp-2')).toContain('\n  1 cluster waiting between two steps (WindowClosed)\n');
    expect(await explain('lamp-2', first)).toMatch(
      /until its window opens \(WindowClosed\)\.\n {2}step 1 of 2 is .*\n {2}Deny "fair" is active; a change may start /,
    );
    await offerAll(lampPath(1));
    await fleet.clock.advance(2 * 3_600_000);
    await fleet.until(() => phaseOf('lamp-2') === 'Superseded', 'the end of the rollout');
    expect(await status('lamp-2')).toContain('\n1 cluster was left midway\n');
    expect(await explain('lamp-2', first)).toContain(' was left midway: its rollout ended Superseded ');
  });

  it('says where a path ends early, and why', async () => {
    await begin(MANUAL);
    for (const bench of fleet.benches) {
      await bench.registry.put('made/lamp:empty', await buildImage({ files: [], labels: {} }));
      const [, , last] = lampPath(2, { 2: { image: `${bench.registry.host}/made/lamp:empty` } });
      await offer(bench, 'lamp', [...lampPath(1), ...(last === undefined ? [] : [last])]);
    }
    await fleet.until(() => fleet.rollout('lamp-2').classes?.length === 1, 'what is to be approved');
    const ends = /the upgrade path ends at lamp\.v1\.1\.0: .*image \S+ is not a bundle/;
    expect(await plan('lamp')).toMatch(ends);
    expect(await plan('lamp-2')).toMatch(ends);
    expect(await explain('lamp-2', 'lab-1')).toMatch(ends);
  });
});
