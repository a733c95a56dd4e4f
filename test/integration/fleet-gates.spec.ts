import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FleetBench } from './applier-support/fleet-bench.js';
import { madeCrd, madeDeployment, offer } from './applier-support/made-operator.js';

const NAMESPACE = 'lamps';
const GROUP = 'lamp.example.com';
const FIRST = 'lamp.v1.0.0';
const NEXT = 'lamp.v1.1.0';
const LAMP = { apiVersion: `${GROUP}/v1`, kind: 'Lamp' };
const operator = {
  package: 'lamp',
  namespace: NAMESPACE,
  catalog: { name: 'samples' },
  classic: { channel: 'stable', operatorGroup: { targetNamespaces: [NAMESPACE] } },
  strategyRef: { name: 's' },
};
const made = (version: string, replaces?: string) => ({
  version,
  objects: [madeCrd({ kind: 'Lamp', group: GROUP }, [VERSION])],
  deployments: [madeDeployment('lamp', 'lamp')],
  ...(replaces === undefined ? {} : { replaces }),
});
const VERSION = { name: 'v1', storage: true, properties: { colour: { type: 'string' } } };
const often = { times: 2, interval: '1s', timeout: '10m' };
const lit = {
  ...{ name: 'lit', ...often },
  cel: { ...LAMP, namespace: NAMESPACE, name: 'one', expression: "object.spec.colour == 'green'" },
};
const change = {
  name: 'change',
  when: 'Before',
  scope: 'Wave',
  ...often,
  webhook: { url: 'https://changes.example/' },
};
const errors = {
  ...{ name: 'errors', ...often },
  prometheus: { url: 'https://prom.example/', query: 'errors{cluster="$cluster"}', max: 0 },
};

describe('gates of a rollout', () => {
  let fleet: FleetBench;
  const asked: string[] = [];
  let isChangeOpen = false;
  beforeAll(async () => {
    fleet = await FleetBench.start({ 'lab-1': { tier: 'lab' }, 'shop-1': { tier: 'shop' } }, NAMESPACE);
    fleet.gate = ({ gate, cluster, wave, bundle }) => {
      asked.push(`${gate.name} ${wave} ${cluster ?? '-'} ${bundle}`);
      return { green: gate.name === 'errors' || isChangeOpen, message: '' };
    };
    for (const bench of fleet.benches) await offer(bench, 'lamp', [made('1.0.0')]);
    const lab = { name: 'lab', clusters: { selector: { matchLabels: { tier: 'lab' } } } };
    await fleet.apply('FleetStrategy', 's', {
      onFailure: 'RollBackAll',
      waves: [
        { ...lab, gates: [lit, errors] },
        { name: 'shops', gates: [change, lit] },
      ],
    });
    await fleet.apply('FleetOperator', 'lamp', operator);
  });
  afterAll(() => fleet.stop());

  const described = () => fleet.benches.map((bench) => bench.describe(NAMESPACE));
  /** The clock moves, a second a pass. */
  const seconds = async (count: number) => {
    for (let second = 0; second < count; second++) {
      await fleet.clock.advance(1_000);
      await fleet.pass();
    }
  };
  const light = (name: string, colour: string) => {
    const { cluster } = fleet.bench(name);
    const ref = { ...LAMP, name: 'one', namespace: NAMESPACE };
    if (cluster.get(ref) === undefined) {
      cluster.create({ ...LAMP, metadata: { name: 'one', namespace: NAMESPACE }, spec: { colour } });
    } else cluster.edit(ref, (live) => Object.assign(live, { spec: { colour } }));
  };
  const row = (rollout: string) => (fleet.rollout(rollout).counts ?? {}) as Record<string, number>;

  it('hold a cluster until its objects and its measurements are as they should be', async () => {
    await fleet.until(() => row('lamp-1')['verifying'] === 1, 'the lab is verified');
    await seconds(5);
    expect(row('lamp-1'), 'no Lamp is there: the check has no answer').toMatchObject({ verifying: 1, done: 0 });
    light('lab-1', 'green');
    await seconds(6);
    expect(row('lamp-1')).toMatchObject({ done: 1 });
    expect(asked).toContain(`errors lab lab-1 ${FIRST}`);
  });

  it('hold the next wave until a webhook says that it may begin', async () => {
    await seconds(5);
    expect(described()).toEqual([`${FIRST} Succeeded`, '']);
    expect(asked).toContain(`change shops - ${FIRST}`);
    isChangeOpen = true;
    await seconds(5);
    await fleet.until(() => row('lamp-1')['verifying'] === 1, 'the shop is verified');
    light('shop-1', 'green');
    await seconds(6);
    await fleet.until(() => fleet.rollout('lamp-1').phase === 'Completed', 'the end');
  });

  it('hold an upgrade that the operator itself refuses', async () => {
    const { cluster } = fleet.bench('lab-1');
    const condition = {
      apiVersion: 'operators.coreos.com/v2',
      kind: 'OperatorCondition',
      name: FIRST,
      namespace: NAMESPACE,
    };
    const refuse = (status: string) =>
      cluster.edit(condition, (live) => {
        const refusal = { type: 'Upgradeable', status, reason: 'Busy', message: 'a lamp is being changed' };
        const lastTransitionTime = '2026-01-05T00:00:00Z';
        Object.assign(live, { spec: { conditions: [{ ...refusal, lastTransitionTime }] } });
      });
    refuse('False');
    for (const bench of fleet.benches) await offer(bench, 'lamp', [made('1.0.0'), made('1.1.0', '1.0.0')]);
    await fleet.until(() => fleet.rollout('lamp-2').phase === 'Progressing', 'the rollout');
    await seconds(3);
    expect(described()[0]).toBe(`${FIRST} Succeeded`);
    expect(fleet.report('lab-1')).toMatchObject({
      notUpgradeable: true,
      message: expect.stringContaining('a lamp is being changed'),
    });
    refuse('True');
  });

  it('take a version back whose objects are not as they should be', async () => {
    light('lab-1', 'red');
    await fleet.until(() => fleet.bench('lab-1').describe(NAMESPACE) === `${NEXT} Succeeded`, 'the new version');
    await seconds(5);
    await fleet.until(() => fleet.rollout('lamp-2').phase === 'RolledBack', 'the return');
    expect(described()).toEqual([`${FIRST} Succeeded`, `${FIRST} Succeeded`]);
    const resting = fleet.hub.cluster.get({ ...ASSIGNMENT, name: 'lab-1' })?.['spec'] as {
      rows: { checks?: unknown }[];
    };
    expect(resting.rows[0]?.checks, 'what has ended is not checked').toBeUndefined();
  });
});

const ASSIGNMENT = { apiVersion: 'fleet.flotilla.dev/v1alpha1', kind: 'FleetAssignment' };
