import { afterEach, describe, expect, it } from 'vitest';
import { APPROVED_BY_ANNOTATION } from '#core/cluster/marks/fleet-marks';
import { FleetAssignment } from '#core/kernel/api/fleet/fleet-assignment';
import { FLEET_API } from '#core/kernel/api/fleet/fleet-fields';
import { FleetPlan } from '#core/kernel/api/fleet/fleet-plan';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { storedRows } from '../assignments/stored-rollout.js';
import { PlayedFleet } from './rollouts.fixture.js';

const NAMES = ['lab-1', 'shop-1'];
const [OLD, NEXT, LAST] = ['kafka-operator.v2.3.0', 'kafka-operator.v2.3.1', 'kafka-operator.v2.4.0'];
const operator = {
  ...{ package: 'kafka-operator', namespace: 'kafka-system', catalog: { name: 'c', namespace: 'olm' } },
  ...{ strategyRef: { name: 's' }, adopt: true },
};
const lab = { name: 'lab', clusters: { selector: { matchLabels: { tier: 'lab' } } }, soak: '10m' };
const decided = { rollout: 'kafka-1', reason: 'CHG-1', by: { user: 'anna', groups: [] } };

let fleet: PlayedFleet | undefined;
afterEach(async () => {
  await fleet?.stop();
  fleet = undefined;
});

async function begun(strategy: object = {}, more: object = {}): Promise<PlayedFleet> {
  fleet = await PlayedFleet.begin(NAMES, (name) => ({ tier: name.startsWith('lab') ? 'lab' : 'shop' }));
  await fleet.apply('FleetStrategy', 's', { waves: [lab], ...strategy });
  await fleet.apply('FleetOperator', 'kafka', { ...operator, ...more });
  await fleet.settle();
  for (const cluster of fleet.clusters) await cluster.offerPath(NEXT, LAST);
  return fleet;
}

const installed = (played: PlayedFleet) => Promise.all(played.clusters.map((cluster) => cluster.installed()));
const assignment = async (played: PlayedFleet, name: string) =>
  FleetAssignment.parse(await played.hub.client.get({ apiVersion: FLEET_API, kind: 'FleetAssignment', name }));
const rowOf = async (played: PlayedFleet, name: string) => {
  const { phase, reason, hop } = storedRows(await assignment(played, name))['platform/kafka-1']?.row ?? {};
  return `${phase} ${reason} hop ${hop}`;
};
const plansIn = async (played: PlayedFleet) =>
  ((await played.hub.client.list({ apiVersion: FLEET_API, kind: 'FleetPlan' }))?.items ?? []).map((one) =>
    FleetPlan.parse({ ...one, apiVersion: FLEET_API, kind: 'FleetPlan' }),
  );
const approverOf = async (played: PlayedFleet, name: string, bundle: string) =>
  JSON.parse((await played.cluster(name).planOf(bundle))?.metadata.annotations?.[APPROVED_BY_ANNOTATION] ?? 'null');
/** Until a cluster has got as far as this; what the controller decides then is not carried out yet. */
async function upTo(played: PlayedFleet, name: string, bundle: string, then: () => Promise<void>): Promise<void> {
  let isThere = false;
  await played.settle(async () => {
    if (isThere || (await played.cluster(name).installed()) !== bundle) return;
    isThere = true;
    await then();
  });
  expect(isThere).toBe(true);
}

describe('a path of two hops', () => {
  it('is one rollout, one class and one FleetPlan, and each of its InstallPlans is approved in its turn', async () => {
    const played = await begun();
    await played.settle();
    expect(await installed(played)).toEqual([LAST, OLD]);
    const [plan, ...others] = await plansIn(played);
    expect(others).toEqual([]);
    expect(plan?.spec.path.map(({ from, to }) => `${from} → ${to}`)).toEqual([`${OLD} → ${NEXT}`, `${NEXT} → ${LAST}`]);
    expect(plan?.spec.changes).toEqual(['Minor']);
    const mark = { rollout: 'platform/kafka-1', class: plan?.spec.hash.slice(0, 12) };
    expect(await approverOf(played, 'lab-1', NEXT)).toMatchObject(mark);
    expect(await approverOf(played, 'lab-1', LAST)).toMatchObject(mark);
    for (let wave = 0; wave < 2; wave++) {
      await played.clock.advance(10 * 60_000);
      await played.settle();
    }
    expect(await installed(played)).toEqual([LAST, LAST]);
    expect(await rowOf(played, 'shop-1')).toBe('Done Healthy hop 2');
    expect(await played.rollout('kafka-1')).toMatchObject({ phase: 'Completed' });
    expect(await played.rollout('kafka-2')).toEqual({});
  });

  it('waits for one approval, and no hop is approved before it', async () => {
    const played = await begun({ approval: { default: 'Manual' } });
    await played.settle();
    const { classes = [] } = await played.rollout('kafka-1');
    expect(classes).toMatchObject([{ approval: 'Waiting' }]);
    expect(await installed(played)).toEqual([OLD, OLD]);
    await played.apply('FleetDecision', 'yes', { ...decided, action: 'Approve', class: classes[0]?.hash });
    await played.settle();
    expect(await installed(played)).toEqual([LAST, OLD]);
    expect(await approverOf(played, 'lab-1', LAST)).toMatchObject({ approvedBy: ['anna'] });
  });

  it('stops between its hops while the rollout is paused, keeps its place, and goes on', async () => {
    const played = await begun();
    await upTo(played, 'lab-1', NEXT, () => played.apply('FleetDecision', 'stop', { ...decided, action: 'Pause' }));
    expect(await installed(played)).toEqual([NEXT, OLD]);
    expect(await rowOf(played, 'lab-1')).toBe('Applying RolloutPaused hop 1');
    expect(await played.rollout('kafka-2'), 'what is left is no target of its own').toEqual({});
    await played.apply('FleetDecision', 'go', { ...decided, action: 'Resume' });
    await played.settle();
    expect(await installed(played)).toEqual([LAST, OLD]);
  });

  it('stops between its hops when a freeze begins', async () => {
    const played = await begun();
    await upTo(played, 'lab-1', NEXT, () => played.apply('FleetWindow', 'freeze', { type: 'Deny' }));
    expect(await rowOf(played, 'lab-1')).toBe('Applying WindowClosed hop 1');
    expect(await installed(played)).toEqual([NEXT, OLD]);
  });

  it('fails at the hop that fails, and its row says which that is', async () => {
    const played = await begun();
    played.cluster('lab-1').failing.add(LAST);
    await played.settle();
    expect(await installed(played)).toEqual([NEXT, OLD]);
    expect(await rowOf(played, 'lab-1')).toBe('Failed ApplyFailed hop 2');
    expect(await played.rollout('kafka-1')).toMatchObject({ phase: 'Halted' });
    expect(await played.rollout('kafka-2')).toEqual({});
  });

  it('is planned anew where its second plan is another than the one that was reviewed', async () => {
    const played = await begun({ approval: { default: 'Manual' } });
    await played.settle();
    const { classes: [reviewed] = [] } = await played.rollout('kafka-1');
    await played.apply('FleetDecision', 'yes', { ...decided, action: 'Approve', class: reviewed?.hash });
    await upTo(played, 'lab-1', NEXT, async () => {
      const ref = { apiVersion: 'operators.coreos.com/v1alpha1', kind: 'InstallPlan', namespace: 'kafka-system' };
      await played.cluster('lab-1').client.delete({ ...ref, name: `install-${LAST}` });
      await played.cluster('lab-1').offer(LAST, 'list secrets');
    });
    expect(await installed(played)).toEqual([NEXT, OLD]);
    expect(await approverOf(played, 'lab-1', LAST), 'nothing unseen is approved').toBeNull();
    expect(await rowOf(played, 'lab-1')).toBe('Waiting Approval hop 1');
  });

  it('waits for a plan of which a Subscription does not know yet that it is moved', async () => {
    const played = await begun();
    const { client } = played.cluster('lab-1');
    const olm = { apiVersion: 'operators.coreos.com/v1alpha1', namespace: 'kafka-system' };
    const neighbour = { ...olm, kind: 'Subscription', name: 'neighbour' };
    await upTo(played, 'lab-1', NEXT, async () => {
      const { apiVersion, kind, name, namespace } = neighbour;
      const spec = { name, source: 'c', sourceNamespace: 'olm' };
      const { object } = await client.create({ apiVersion, kind, metadata: { name, namespace }, spec });
      const ownerReferences = [{ apiVersion, kind, name, uid: (object as KubernetesObject).metadata.uid }];
      const annotations = { 'flotilla.dev/moves': JSON.stringify({ kafka: LAST, neighbour: 'neighbour.v2' }) };
      const change = { metadata: { annotations, ownerReferences }, spec: { generation: 2 } };
      await client.patch({ ...olm, kind: 'InstallPlan', name: `install-${LAST}` }, change);
    });
    expect(await rowOf(played, 'lab-1')).toBe('Applying Started hop 1');
    expect(await approverOf(played, 'lab-1', LAST)).toBeNull();
    const status = { currentCSV: 'neighbour.v2', installPlanGeneration: 2 };
    await client.patch(neighbour, { status }, { subresource: 'status' });
    await played.settle();
    expect(await installed(played)).toEqual([LAST, OLD]);
  });

  it('ends before the first version that is not allowed', async () => {
    const played = await begun({}, { versions: { range: '<2.4.0' } });
    await played.settle();
    expect(await installed(played)).toEqual([NEXT, OLD]);
    expect((await plansIn(played)).map(({ spec }) => spec.path.length)).toEqual([1]);
    expect(await rowOf(played, 'lab-1')).toBe('Done Healthy hop 1');
  });
});
