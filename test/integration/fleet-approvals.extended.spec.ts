import { afterEach, describe, expect, it } from 'vitest';
import { FLEET_API } from '#core/kernel/api/fleet/fleet-fields';
import { FleetPlan } from '#core/kernel/api/fleet/fleet-plan';
import { FleetBench } from './applier-support/fleet-bench.js';
import { LAMP_OPERATOR, LAMPS } from './applier-support/lamp-operator.js';
import { madeCrd, offer } from './applier-support/made-operator.js';

const NAMES = ['lab-1', 'lab-2', 'lab-3'];
const [HOSTILE = ''] = NAMES;
const FIRST = {
  version: '1.0.0',
  objects: [
    madeCrd({ kind: 'Lamp', group: 'example.com' }, [
      { name: 'v1', storage: true, properties: { color: { type: 'string' } } },
    ]),
  ],
};
const role = {
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'ClusterRole',
  metadata: { name: 'lamp-reader' },
  rules: [{ apiGroups: [''], resources: ['secrets'], verbs: ['get'] }],
};
const NEXT = { version: '1.0.1', replaces: '1.0.0', objects: [...FIRST.objects, role] };

describe('an approval of a plan class', () => {
  let fleet: FleetBench;
  afterEach(() => fleet.stop());

  /** Every cluster has the first version, and `having` the role that the next one brings. */
  async function begin(having: readonly string[]): Promise<void> {
    fleet = await FleetBench.start(Object.fromEntries(NAMES.map((name) => [name, {}])), LAMPS);
    for (const bench of fleet.benches) await offer(bench, 'lamp', [FIRST]);
    const approval = { default: 'Auto', rules: [{ changes: ['Patch', 'RBACGrowth'], action: 'Manual' }] };
    await fleet.apply('FleetStrategy', 's', { approval });
    await fleet.apply('FleetOperator', 'lamp', LAMP_OPERATOR);
    await fleet.until(() => at('1.0.0').length === NAMES.length, 'the first version');
    for (const name of having) await fleet.bench(name).client.create(role);
    for (const bench of fleet.benches) await offer(bench, 'lamp', [FIRST, NEXT]);
  }
  const at = (version: string) =>
    NAMES.filter((name) => fleet.bench(name).describe(LAMPS) === `lamp.v${version} Succeeded`);
  const classes = () =>
    (fleet.rollout('lamp-2').classes ?? []) as readonly {
      hash: string;
      clusters: number;
      changes: readonly string[];
      approval: string;
    }[];
  const rightsShown = async (hash: string) => {
    const name = `lamp-2-${hash}`;
    const found = await fleet.hub.client.get({ apiVersion: FLEET_API, kind: 'FleetPlan', name, namespace: 'platform' });
    return FleetPlan.safeParse(found).data?.spec.rbac?.added;
  };
  const approve = (hash: string, name: string) =>
    fleet.apply('FleetDecision', name, {
      ...{ rollout: 'lamp-2', action: 'Approve', class: hash, reason: 'CHG-1' },
      by: { user: 'anna', groups: [] },
    });
  const passes = async (count: number) => {
    for (let pass = 0; pass < count; pass++) await fleet.pass();
  };

  it('does not count for clusters in which the plan gives rights that its owner showed as given already', async () => {
    await begin([HOSTILE]);
    await fleet.until(() => classes().length === 2, 'a class of their own');
    const [shown, wider] = classes();
    expect([shown?.clusters, wider?.clusters]).toEqual([1, 2]);
    expect(wider?.changes).toContain('RBACGrowth');
    expect(await rightsShown(shown?.hash ?? '')).toEqual([]);
    expect((await rightsShown(wider?.hash ?? ''))?.join()).toContain('secrets');
    await approve(shown?.hash ?? '', 'as-shown');
    await fleet.until(() => at('1.0.1').length === 1, 'the cluster whose plan was approved');
    await passes(6);
    expect([at('1.0.1'), at('1.0.0').length]).toEqual([[HOSTILE], 2]);
    await approve(wider?.hash ?? '', 'with-rights');
    await fleet.until(() => at('1.0.1').length === NAMES.length, 'all');
  });

  it('does not count for a cluster in which the plan changes more than when it was given', async () => {
    await begin(NAMES);
    await fleet.until(() => classes()[0]?.clusters === NAMES.length, 'one class of all');
    await approve(classes()[0]?.hash ?? '', 'as-shown');
    // Without the role the plan gives rights there.
    await fleet.bench(HOSTILE).client.delete({ ...role, name: role.metadata.name });
    await fleet.until(() => at('1.0.1').length === NAMES.length - 1, 'the others');
    await passes(6);
    expect(at('1.0.0')).toEqual([HOSTILE]);
    const wider = classes().find(({ approval }) => approval === 'Waiting');
    expect(wider).toMatchObject({ clusters: 1, changes: expect.arrayContaining(['RBACGrowth']) });
    expect((await rightsShown(wider?.hash ?? ''))?.join()).toContain('secrets');
  });
});
