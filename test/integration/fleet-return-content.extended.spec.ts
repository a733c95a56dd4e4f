import { afterEach, describe, expect, it } from 'vitest';
import type { ApplierBench } from './applier-support/applier-bench.js';
import { FleetBench } from './applier-support/fleet-bench.js';
import { madeCrd, madeDeployment, offer } from './applier-support/made-operator.js';

const NAMESPACE = 'lamps';
const GROUP = 'lamp.example.com';
const V1ALPHA1 = 'operators.coreos.com/v1alpha1';
const OLD = 'lamp.v1.0.0';
const BAD = 'lamp.v1.1.0';
const KINDS = ['Bulb', 'Lamp', 'Socket', 'Wick'];
const operator = {
  package: 'lamp',
  namespace: NAMESPACE,
  catalog: { name: 'samples', namespace: 'olm' },
  strategyRef: { name: 's' },
  adopt: true,
};
const gate = { name: 'lit', times: 1, interval: '1s', timeout: '10s' };
const dark = { ...gate, prometheus: { url: 'https://prom.example/', query: 'up', max: 0 } };

type Offered = Readonly<{ version: string; replaces?: string }>;
const FIRST: Offered = { version: '1.0.0' };
const SECOND: Offered = { version: '1.1.0', replaces: '1.0.0' };

/** Offers these versions; each CRD has a description of so many bytes. */
async function publish(bench: ApplierBench, bytes: number, versions: readonly Offered[]): Promise<void> {
  const made = versions.map((one) => ({
    ...one,
    objects: KINDS.map((kind) =>
      madeCrd({ kind, group: GROUP, description: `${one.version} ${'long '.repeat(bytes / 5)}` }, [
        { name: 'v1', storage: true },
      ]),
    ),
    deployments: [madeDeployment('lamp', 'lamp')],
  }));
  await offer(bench, 'lamp', made);
}

/** Makes a cluster with the running bad version, and a rollout whose check of it does not answer. */
async function withBadVersion(bytes: number): Promise<FleetBench> {
  const fleet = await FleetBench.start({ 'lab-1': { tier: 'lab' } }, NAMESPACE);
  const bench = fleet.bench('lab-1');
  bench.namespace(NAMESPACE);
  await publish(bench, bytes, [FIRST]);
  bench.subscribe(NAMESPACE, 'lamp');
  await bench.installed(NAMESPACE, OLD);
  bench.cluster.edit({ apiVersion: V1ALPHA1, kind: 'Subscription', name: 'lamp', namespace: NAMESPACE }, (live) => {
    (live as unknown as { spec: { installPlanApproval: string } }).spec.installPlanApproval = 'Manual';
  });
  const lab = { name: 'lab', clusters: { selector: { matchLabels: { tier: 'lab' } } } };
  await fleet.apply('FleetStrategy', 's', {
    onFailure: 'RollBackAll',
    waves: [{ ...lab, progressDeadline: '10m', gates: [dark] }],
  });
  await fleet.apply('FleetOperator', 'lamp', operator);
  await fleet.pass();
  await publish(bench, bytes, [FIRST, SECOND]);
  await fleet.until(() => fleet.report('lab-1')?.['state'] === 'Ready', 'the bad version in the lab');
  expect(bench.describe(NAMESPACE)).toBe(`${BAD} Succeeded`);
  return fleet;
}

describe('a return of an operator', () => {
  let fleet: FleetBench | undefined;
  afterEach(() => fleet?.stop());

  it('reads what the earlier plan only refers to', async () => {
    fleet = await withBadVersion(750_000);
    await fleet.until(() => fleet?.rollout('lamp-1').phase === 'RolledBack', 'the return');
    expect(fleet.bench('lab-1').describe(NAMESPACE)).toBe(`${OLD} Succeeded`);
  });

  it('does not begin where no catalog offers the earlier bundle any more, and the operator stays', async () => {
    fleet = await withBadVersion(0);
    const bench = fleet.bench('lab-1');
    await publish(bench, 0, [SECOND]);
    await fleet.pass();
    await fleet.until(() => fleet?.rollout('lamp-1').phase === 'Halted', 'the end of the rollout');
    expect(fleet.rollout('lamp-1').reason).toBe('RollbackIncomplete');
    expect(fleet.report('lab-1')).toMatchObject({ returnCheck: { ok: false, reasons: ['ContentGone'] } });
    for (let pass = 0; pass < 5; pass++) await fleet.pass();
    expect(bench.describe(NAMESPACE)).toBe(`${BAD} Succeeded`);
    expect(bench.subscriptions(NAMESPACE)).toHaveLength(1);
  });
});
