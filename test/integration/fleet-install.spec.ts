import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FLEET_API } from '#core/kernel/api/fleet/fleet-fields';
import { FleetBench } from './applier-support/fleet-bench.js';
import { LAMP_OPERATOR, LAMPS } from './applier-support/lamp-operator.js';
import { madeDeployment, offer } from './applier-support/made-operator.js';

const V1ALPHA1 = 'operators.coreos.com/v1alpha1';
const FIRST = 'lamp.v1.0.0';
const NEXT = 'lamp.v1.1.0';
const lab = { name: 'lab', clusters: { selector: { matchLabels: { tier: 'lab' } } }, soak: '10m' };
const made = (version: string, replaces?: string) => ({
  version,
  objects: [],
  deployments: [madeDeployment('lamp', 'lamp')],
  ...(replaces === undefined ? {} : { replaces }),
});

describe('an operator that the fleet installs where it is not', () => {
  let fleet: FleetBench;
  beforeAll(async () => {
    fleet = await FleetBench.start(
      { 'lab-1': { tier: 'lab' }, 'shop-1': { tier: 'shop' }, 'full-1': { tier: 'shop' } },
      LAMPS,
    );
    for (const bench of fleet.benches) await offer(bench, 'lamp', [made('1.0.0')]);
    // Objects of another user there stay as they are.
    fleet.bench('full-1').namespace(LAMPS);
    await fleet.apply('FleetStrategy', 's', {
      approval: { default: 'Auto', rules: [{ changes: ['Install'], action: 'Manual', groups: ['board'] }] },
      waves: [lab],
    });
    await fleet.apply('FleetOperator', 'lamp', LAMP_OPERATOR);
  });
  afterAll(() => fleet.stop());

  const installed = () => fleet.benches.map((bench) => bench.describe(LAMPS));
  const namespaceOf = (name: string) =>
    fleet.bench(name).cluster.get({ apiVersion: 'v1', kind: 'Namespace', name: LAMPS });

  it('is planned everywhere, and nothing is written before its class is approved', async () => {
    await fleet.until(() => fleet.rollout('lamp-1').classes?.length === 1, 'a class of plans');
    for (let pass = 0; pass < 3; pass++) await fleet.pass();
    const { classes = [], phase } = fleet.rollout('lamp-1');
    expect({ phase, changes: classes.map(({ changes }) => changes) }).toEqual({
      phase: 'Progressing',
      changes: [['Install']],
    });
    expect(fleet.report('lab-1')).toMatchObject({ state: 'Planned', planned: FIRST, changes: ['Install'] });
    expect([namespaceOf('lab-1'), namespaceOf('shop-1')]).toEqual([undefined, undefined]);
  });

  it('has a FleetPlan for its class, with what would be made', async () => {
    const [one] = fleet.rollout('lamp-1').classes ?? [];
    const name = `lamp-1-${one?.hash}`;
    const plan = fleet.hub.cluster.get({ apiVersion: FLEET_API, kind: 'FleetPlan', name, namespace: 'platform' });
    expect(plan?.['spec']).toMatchObject({
      hash: expect.stringMatching(new RegExp(`^${one?.hash}`)),
      path: [{ to: FIRST }],
      changes: ['Install'],
      objects: { created: expect.arrayContaining([expect.stringContaining('Deployment lamp is new')]) },
      neighbours: [],
    });
  });

  it('leaves a namespace with an OperatorGroup that the fleet did not make alone, and says what to do', async () => {
    expect(fleet.rollout('lamp-1').counts).toMatchObject({ skipped: 1 });
    expect(fleet.report('full-1')).toMatchObject({
      reason: 'Conflict',
      message: `namespace ${LAMPS} has OperatorGroup ${LAMPS}-group: set classic.operatorGroup.manage to Adopt or Use`,
    });
  });

  it('is installed wave by wave, with a group in which each operator has its own plan', async () => {
    const [one] = fleet.rollout('lamp-1').classes ?? [];
    await fleet.apply('FleetDecision', 'approve', {
      ...{ rollout: 'lamp-1', action: 'Approve', class: one?.hash, reason: 'CHG-1' },
      by: { user: 'anna', groups: ['board'] },
    });
    await fleet.until(() => fleet.bench('lab-1').describe(LAMPS) === `${FIRST} Succeeded`, 'the lab');
    await fleet.pass();
    expect(namespaceOf('shop-1')).toBeUndefined();
    await fleet.clock.advance(10 * 60_000);
    await fleet.until(() => fleet.bench('shop-1').describe(LAMPS) === `${FIRST} Succeeded`, 'the shop');
    await fleet.pass();
    await fleet.clock.advance(10 * 60_000);
    await fleet.until(() => fleet.rollout('lamp-1').phase === 'Completed', 'the end');
    expect(installed()).toEqual([`${FIRST} Succeeded`, `${FIRST} Succeeded`, '']);
    const { cluster } = fleet.bench('shop-1');
    const group = cluster.get({
      ...{ apiVersion: 'operators.coreos.com/v1', kind: 'OperatorGroup', name: 'fleet', namespace: LAMPS },
    });
    expect(group).toMatchObject({
      metadata: { annotations: { 'flotilla.dev/resolution-isolation': 'true' } },
      spec: { targetNamespaces: [LAMPS], upgradeStrategy: 'TechPreviewUnsafeFailForward' },
    });
    const subscription = cluster.get({
      apiVersion: V1ALPHA1,
      kind: 'Subscription',
      name: 'lamp',
      namespace: LAMPS,
    });
    expect(subscription).toMatchObject({
      spec: { installPlanApproval: 'Manual', channel: 'stable', source: 'samples' },
    });
    expect(subscription?.metadata['managedFields']).toContainEqual(
      expect.objectContaining({ manager: 'flotilla-fleet', operation: 'Apply' }),
    );
  });

  it('is upgraded in the same way afterwards', async () => {
    for (const bench of fleet.benches) await offer(bench, 'lamp', [made('1.0.0'), made('1.1.0', '1.0.0')]);
    await fleet.until(() => fleet.bench('lab-1').describe(LAMPS) === `${NEXT} Succeeded`, 'the upgrade');
    expect(fleet.rollout('lamp-2')).toMatchObject({ classes: [{ changes: ['Minor'] }] });
  });
});
