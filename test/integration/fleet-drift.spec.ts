import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FLEET_API } from '#core/kernel/api/fleet/fleet-fields';
import { HubKey } from '#platform/keys/hub-key';
import { AppliedNotes } from '../../libs/lifecycle/src/rollouts/orders/place/applied-notes.js';
import { FleetBench } from './applier-support/fleet-bench.js';
import { LAMP_OPERATOR, LAMPS } from './applier-support/lamp-operator.js';
import { madeDeployment, offer } from './applier-support/made-operator.js';

const FIRST = 'lamp.v1.0.0';
const SUBSCRIPTION = {
  apiVersion: 'operators.coreos.com/v1alpha1',
  ...{ kind: 'Subscription', name: 'lamp', namespace: LAMPS },
};
const GROUP = {
  apiVersion: 'operators.coreos.com/v1',
  ...{ kind: 'OperatorGroup', name: 'fleet', namespace: LAMPS },
};

describe('what users change in a cluster of what the fleet made there', () => {
  let fleet: FleetBench;
  let folder = '';
  beforeAll(async () => {
    fleet = await FleetBench.start({ 'shop-1': {} }, LAMPS);
    folder = await mkdtemp(join(tmpdir(), 'flotilla-drift-'));
    fleet.place = { notes: new AppliedNotes(await HubKey.open(join(folder, 'key'))) };
    const version = { version: '1.0.0', objects: [], deployments: [madeDeployment('lamp', 'lamp')] };
    for (const bench of fleet.benches) await offer(bench, 'lamp', [version]);
    await fleet.apply('FleetStrategy', 's', { waves: [] });
    await fleet.apply('FleetOperator', 'lamp', LAMP_OPERATOR);
    await fleet.until(() => fleet.rollout('lamp-1').phase === 'Completed', 'the installation');
  });
  afterAll(async () => {
    await fleet.stop();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  });

  const shop = () => fleet.bench('shop-1');
  const change = (ref: typeof SUBSCRIPTION, spec: object) => shop().client.patch(ref, { spec });
  const specOf = (ref: typeof SUBSCRIPTION) => shop().cluster.get(ref)?.['spec'] as Record<string, unknown>;
  const setPolicy = (drift: string) =>
    fleet.hub.client.patch(
      { apiVersion: FLEET_API, kind: 'FleetOperator', name: 'lamp', namespace: 'platform' },
      { spec: { drift } },
    );
  const setPaused = (paused: boolean) =>
    fleet.hub.client.patch({ apiVersion: FLEET_API, kind: 'FleetCluster', name: 'shop-1' }, { spec: { paused } });
  const report = () => fleet.report('shop-1');

  it('is set back, and the report says what it was', async () => {
    await change(SUBSCRIPTION, { installPlanApproval: 'Automatic', startingCSV: FIRST });
    await fleet.until(() => report()?.['reason'] === 'DriftCorrected', 'the report');
    expect(specOf(SUBSCRIPTION)).toMatchObject({ installPlanApproval: 'Manual', startingCSV: FIRST });
    expect(report()).toMatchObject({
      drift: false,
      message: expect.stringMatching(
        /^reverted: Subscription lamp: spec.installPlanApproval is "Automatic", not "Manual"(;|$)/,
      ),
    });
    expect(shop().describe(LAMPS)).toBe(`${FIRST} Succeeded`);
  });

  it('again and again is set back once a minute', async () => {
    await change(GROUP, { upgradeStrategy: 'Default' });
    await fleet.until(() => report()?.['drift'] === true, 'the report');
    expect(report()).toMatchObject({ reason: 'DriftCorrected', message: expect.stringContaining('a moment ago') });
    expect(specOf(GROUP)).toMatchObject({ upgradeStrategy: 'Default' });
    await fleet.clock.advance(60_000);
    await fleet.until(() => report()?.['drift'] === false, 'the correction');
    expect(specOf(GROUP)).toMatchObject({ upgradeStrategy: 'TechPreviewUnsafeFailForward' });
  });

  it('stays in a cluster that is paused, and is reported', async () => {
    await fleet.clock.advance(60_000);
    await setPaused(true);
    await fleet.pass();
    await change(SUBSCRIPTION, { channel: 'beta' });
    await fleet.until(() => report()?.['reason'] === 'Drifted', 'the report');
    expect(report()).toMatchObject({ drift: true, message: expect.stringContaining('spec.channel is "beta"') });
    expect(specOf(SUBSCRIPTION)).toMatchObject({ channel: 'beta' });
    await setPaused(false);
    await fleet.until(() => specOf(SUBSCRIPTION)['channel'] === 'stable', 'the correction after the pause');
  });

  it('stays with drift: Report, and is reported as long as it is there', async () => {
    await setPolicy('Report');
    await change(SUBSCRIPTION, { channel: 'beta' });
    await fleet.until(() => report()?.['drift'] === true, 'the report');
    await fleet.clock.advance(120_000);
    for (let pass = 0; pass < 3; pass++) await fleet.pass();
    expect(specOf(SUBSCRIPTION)).toMatchObject({ channel: 'beta' });
    expect(report()).toMatchObject({ reason: 'Drifted' });
    await change(SUBSCRIPTION, { channel: 'stable' });
    await fleet.until(() => report()?.['drift'] === false, 'the end of the drift');
  });

  it('is seen where the note of what was applied was changed with it, too, or is gone', async () => {
    const note = 'fleet.flotilla.dev/applied';
    const annotate = (value: string | null) =>
      shop().client.patch(SUBSCRIPTION, { metadata: { annotations: { [note]: value } }, spec: { channel: 'beta' } });
    const before = shop().cluster.get(SUBSCRIPTION)?.metadata.annotations?.[note] ?? '';
    await setPolicy('Correct');
    for (const forged of [before.replace('"stable"', '"beta"'), null]) {
      await annotate(forged);
      await fleet.until(() => report()?.['drift'] === true, 'the report');
      const message = expect.stringContaining(`Subscription lamp: its annotation ${note}, the note of`);
      expect(report()).toMatchObject({ reason: 'Drifted', message });
      expect(specOf(SUBSCRIPTION)).toMatchObject({ channel: 'beta' });
      await shop().client.patch(SUBSCRIPTION, {
        metadata: { annotations: { [note]: before } },
        spec: { channel: 'stable' },
      });
      await fleet.until(() => report()?.['drift'] === false, 'the end of the drift');
    }
  });

  it('as the deletion of the Subscription is reported, with what helps', async () => {
    await shop().client.delete(SUBSCRIPTION);
    await fleet.until(() => report()?.['drift'] === true, 'the report');
    expect(report()).toMatchObject({
      reason: 'Drifted',
      message: expect.stringMatching(
        /was deleted in the cluster\. .*delete ClusterServiceVersion lamp\.v1\.0\.0 there if it still exists/,
      ),
    });
    expect(shop().cluster.get(SUBSCRIPTION)).toBeUndefined();
  });

  it('is installed again after the two steps that the report advises', async () => {
    const select = (clusters: object | null) =>
      fleet.hub.client.patch(
        { apiVersion: FLEET_API, kind: 'FleetOperator', name: 'lamp', namespace: 'platform' },
        { spec: { clusters } },
      );
    await shop().client.delete({ ...SUBSCRIPTION, kind: 'ClusterServiceVersion', name: FIRST });
    await select({ selector: { matchLabels: { lamps: 'none' } } });
    await fleet.until(() => report() === undefined, 'the end of its orders');
    await select(null);
    await fleet.until(() => shop().cluster.get(SUBSCRIPTION) !== undefined, 'the Subscription');
    await fleet.until(() => report()?.['drift'] === false, 'the end of the drift');
    await fleet.until(() => shop().describe(LAMPS) === `${FIRST} Succeeded`, 'the operator');
  });
});
