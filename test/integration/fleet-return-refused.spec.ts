import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FleetBench } from './applier-support/fleet-bench.js';
import { LAMP_OPERATOR, LAMPS } from './applier-support/lamp-operator.js';
import { type MadeCrdVersion, madeCrd, offer } from './applier-support/made-operator.js';

const GROUP = 'lamp.example.com';
const crd = (versions: readonly MadeCrdVersion[]) => madeCrd({ kind: 'Lamp', group: GROUP }, versions);
const FIRST = { version: '1.0.0', objects: [crd([{ name: 'v1', storage: true }])] };
/** Objects are stored in a version that the first one does not know. */
const SECOND = {
  ...{ version: '1.1.0', replaces: '1.0.0' },
  objects: [crd([{ name: 'v1' }, { name: 'v2', storage: true }])],
};
const gate = { name: 'lit', times: 1, interval: '1s', timeout: '10s' };
const dark = { ...gate, prometheus: { url: 'https://prom.example/', query: 'up', max: 0 } };

describe('a return over a stored version that the earlier definition lacks', () => {
  let fleet: FleetBench;
  beforeAll(async () => {
    fleet = await FleetBench.start({ 'lab-1': {}, 'lab-2': {} }, LAMPS);
    for (const bench of fleet.benches) await offer(bench, 'lamp', [FIRST]);
    await fleet.apply('FleetStrategy', 's', {});
    await fleet.apply('FleetOperator', 'lamp', LAMP_OPERATOR);
    await fleet.until(() => fleet.rollout('lamp-1').phase === 'Completed', 'the first version');
  });
  afterAll(() => fleet.stop());

  it('is refused with StoredVersionRemoved, and operator, definition and objects stay', async () => {
    await fleet.apply('FleetStrategy', 'checked', {
      onFailure: 'RollBackAll',
      waves: [{ name: 'one', count: 1, gates: [dark] }],
    });
    const operator = { apiVersion: 'fleet.flotilla.dev/v1alpha1', kind: 'FleetOperator', namespace: 'platform' };
    await fleet.hub.client.patch({ ...operator, name: 'lamp' }, { spec: { strategyRef: { name: 'checked' } } });
    for (const bench of fleet.benches) await offer(bench, 'lamp', [FIRST, SECOND]);
    const isNew = (name: string) => fleet.bench(name).describe(LAMPS) === 'lamp.v1.1.0 Succeeded';
    await fleet.until(
      () => fleet.benches.some(({ client }) => isNew(client.cluster)),
      'the new version in one cluster',
    );
    await fleet.pass();
    const name = isNew('lab-1') ? 'lab-1' : 'lab-2';
    const { cluster } = fleet.bench(name);
    const lamp = { apiVersion: `${GROUP}/v2`, kind: 'Lamp', metadata: { name: 'one', namespace: LAMPS }, spec: {} };
    cluster.create(lamp);
    await fleet.until(() => fleet.rollout('lamp-2').phase === 'Halted', 'the end of the rollout');
    expect(fleet.rollout('lamp-2')).toMatchObject({ reason: 'RollbackIncomplete', counts: { failed: 1 } });
    expect(fleet.report(name)).toMatchObject({
      returnCheck: { ok: false, reasons: expect.arrayContaining(['StoredVersionRemoved']) },
      message: expect.stringMatching(
        /may be stored in v2, and the earlier CRD does not have it; publish a version that upgrades/,
      ),
    });
    for (let pass = 0; pass < 3; pass++) await fleet.pass();
    expect(fleet.benches.map((bench) => bench.describe(LAMPS)).toSorted()).toEqual([
      'lamp.v1.0.0 Succeeded',
      'lamp.v1.1.0 Succeeded',
    ]);
    expect(cluster.get({ apiVersion: `${GROUP}/v2`, kind: 'Lamp', name: 'one', namespace: LAMPS })).toBeDefined();
  });
});
