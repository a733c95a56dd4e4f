import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { FleetBench } from './applier-support/fleet-bench.js';
import { LAMP_OPERATOR, LAMPS } from './applier-support/lamp-operator.js';
import { offer } from './applier-support/made-operator.js';

const V1ALPHA1 = 'operators.coreos.com/v1alpha1';
const GROUP = { apiVersion: 'operators.coreos.com/v1', kind: 'OperatorGroup' };
const ISOLATION = 'flotilla.dev/resolution-isolation';
const version = (minor: number) => ({
  version: `1.${minor}.0`,
  objects: [],
  ...(minor === 0 ? {} : { replaces: `1.${minor - 1}.0` }),
});

describe('a FleetOperator that adopts the OperatorGroup of its namespace', () => {
  let fleet: FleetBench;
  beforeEach(async () => {
    fleet = await FleetBench.start({ 'lab-1': {} }, LAMPS);
    await publish('lamp', 0);
    await publish('horn', 0);
    await fleet.apply('FleetStrategy', 's', {
      approval: { rules: [{ changes: ['Minor', 'NeighbourMove'], action: 'Manual' }], default: 'Auto' },
    });
    cluster().create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: LAMPS } });
  });
  afterEach(() => fleet.stop());

  const cluster = () => fleet.bench('lab-1').cluster;
  const publish = (name: string, minor: number) =>
    offer(
      fleet.bench('lab-1'),
      name,
      Array.from({ length: minor + 1 }, (_, at) => version(at)),
    );
  const makeGroup = (annotations: Readonly<Record<string, string>> = {}) =>
    cluster().create({
      ...GROUP,
      metadata: { name: 'own', namespace: LAMPS, annotations },
      spec: { targetNamespaces: [LAMPS] },
    } as KubernetesObject);
  const group = () => cluster().get({ ...GROUP, namespace: LAMPS, name: 'own' });
  /** Makes a Subscription that waits for approvals, as users do. */
  const subscribe = (name: string) =>
    cluster().create({
      ...{ apiVersion: V1ALPHA1, kind: 'Subscription', metadata: { name, namespace: LAMPS } },
      spec: { name, channel: 'stable', source: 'samples', sourceNamespace: 'olm', installPlanApproval: 'Manual' },
    } as KubernetesObject);
  const installed = (name: string) =>
    fleet
      .bench('lab-1')
      .subscriptions(LAMPS)
      .find(({ spec }) => spec.name === name)?.status?.installedCSV;
  const add = (name: string, operatorGroup: object, more: object = {}) =>
    fleet.apply('FleetOperator', name, {
      ...{ ...LAMP_OPERATOR, package: name, classic: { channel: 'stable', operatorGroup } },
      ...more,
    });
  /** Approves the waiting plans of the namespace, until none waits. */
  const approveAll = () => {
    for (const plan of cluster().list({ apiVersion: V1ALPHA1, kind: 'InstallPlan', namespace: LAMPS })) {
      const { name = '' } = plan.metadata;
      const ref = { apiVersion: V1ALPHA1, kind: 'InstallPlan', namespace: LAMPS, name };
      cluster().edit(ref, (one) => Object.assign(one, { spec: { ...(one['spec'] as object), approved: true } }));
    }
  };

  it('adds isolation to it in its turn, and nothing else, before it installs', async () => {
    makeGroup({ 'team.example/owner': 'lamps' });
    await add('lamp', { manage: 'Adopt' });
    await fleet.until(() => installed('lamp') === 'lamp.v1.0.0', 'the lamp');
    expect(group()).toMatchObject({
      metadata: { annotations: { [ISOLATION]: 'true', 'team.example/owner': 'lamps' } },
      spec: { targetNamespaces: [LAMPS] },
    });
    expect(cluster().list({ ...GROUP, namespace: LAMPS })).toHaveLength(1);
    // A user takes it out again: it is set back, as all that the fleet asks for.
    cluster().edit({ ...GROUP, namespace: LAMPS, name: 'own' }, (one) => {
      const { [ISOLATION]: _isolation, ...annotations } = one.metadata.annotations ?? {};
      Object.assign(one.metadata, { annotations });
    });
    await fleet.until(() => group()?.metadata.annotations?.[ISOLATION] === 'true', 'isolation again');
  });

  it.each([
    { where: 'there is none', groups: [], says: 'has no OperatorGroup to adopt' },
    { where: 'it has other targets', groups: ['own'], says: 'this FleetOperator wants targetNamespaces elsewhere' },
  ])('installs nothing where $where, and says so', async ({ groups, says }) => {
    for (const _ of groups) makeGroup();
    await add('lamp', { manage: 'Adopt', ...(groups.length === 0 ? {} : { targetNamespaces: ['elsewhere'] }) });
    await fleet.until(() => fleet.report('lab-1')?.['reason'] === 'Conflict', 'a conflict');
    expect(fleet.report('lab-1')?.['message']).toContain(says);
    expect(fleet.bench('lab-1').subscriptions(LAMPS)).toEqual([]);
    if (groups.length > 0) expect(group()?.metadata.annotations?.[ISOLATION]).toBeUndefined();
  });

  it('takes over what is installed there as a rollout of its own, also while a plan for both waits', async () => {
    makeGroup();
    for (const name of ['lamp', 'horn']) subscribe(name);
    await fleet.until(() => {
      approveAll();
      return installed('lamp') === 'lamp.v1.0.0' && installed('horn') === 'horn.v1.0.0';
    }, 'both');
    await publish('lamp', 1);
    await publish('horn', 1);
    const waiting = () =>
      cluster()
        .list({ apiVersion: V1ALPHA1, kind: 'InstallPlan', namespace: LAMPS })
        .map(({ spec }) => spec as unknown as Readonly<{ approved: boolean; clusterServiceVersionNames: string[] }>)
        .filter(({ approved }) => !approved)
        .map(({ clusterServiceVersionNames }) => clusterServiceVersionNames.toSorted().join());
    await fleet.until(() => waiting().includes('horn.v1.1.0,lamp.v1.1.0'), 'a plan that moves both');

    await add('lamp', { manage: 'Adopt' }, { adopt: true });
    await fleet.until(() => fleet.rollout('lamp-1').phase === 'Completed', 'the adoption');
    expect(fleet.rollout('lamp-1').classes).toMatchObject([{ changes: ['ConfigChange'] }]);
    expect(group()?.metadata.annotations?.[ISOLATION]).toBe('true');
    expect(installed('lamp')).toBe('lamp.v1.0.0');
    const changes = () => fleet.rollout('lamp-2').classes?.map((one) => one.changes.join()) ?? [];
    await fleet.until(() => changes().includes('Minor,NeighbourMove'), 'the plan that waited before');

    // A user deletes it: each operator gets one of its own.
    for (const { metadata, spec } of cluster().list({ apiVersion: V1ALPHA1, kind: 'InstallPlan', namespace: LAMPS })) {
      const { name = '', namespace } = metadata;
      const isOpen = (spec as { approved?: boolean }).approved !== true;
      if (isOpen) cluster().delete({ apiVersion: V1ALPHA1, kind: 'InstallPlan', namespace, name });
    }
    await fleet.until(() => changes().includes('Minor'), 'a plan of the lamp alone');
    const alone = fleet.rollout('lamp-2').classes?.find((one) => one.changes.join() === 'Minor');
    await fleet.apply('FleetDecision', 'approve', {
      ...{ rollout: 'lamp-2', action: 'Approve', class: alone?.hash, reason: 'CHG-1' },
      by: { user: 'anna', groups: [] },
    });
    await fleet.until(() => installed('lamp') === 'lamp.v1.1.0', 'the lamp alone');
    expect(installed('horn')).toBe('horn.v1.0.0');
  });
});
