import { expect } from 'vitest';
import { CSV_API, CSV_CLEANUP_FINALIZER } from '#core/kernel/api/cluster-service-version';
import { FLEET_API } from '#core/kernel/api/fleet/fleet-fields';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { LONG_PATIENCE } from '#testing/patience';
import { runFlotilla } from '../../apps/cli/src/run-flotilla.fixture.js';
import { type FleetHub, HUB_NAMESPACE, secretOf } from './fleet-hub.js';

const NAMESPACE = 'lamps';
const CSV = { ...CSV_API, name: 'lamp.v1.0.0', namespace: NAMESPACE } as const;
const OWNER = 'flotilla.dev/hub';

/**
 * Plays a cluster that joins a running hub and leaves it: by `clusters add` and `clusters remove`, and by
 * objects of kubectl. An installed operator stays, without finalizers of the hub.
 */
export async function joinAndLeave(fleet: FleetHub, name: string): Promise<void> {
  const cluster = fleet.client(name);
  const member = { apiVersion: FLEET_API, kind: 'FleetCluster', name };
  const secret = { apiVersion: 'v1', kind: 'Secret', name, namespace: HUB_NAMESPACE };
  const reachable = async () => {
    const { conditions = [] } = (await fleet.status('FleetCluster', name)) as {
      conditions?: readonly Readonly<{ type: string; status: string; reason: string }>[];
    };
    return conditions.filter(({ type }) => type === 'Managed' || type === 'Reachable').map(({ reason }) => reason);
  };
  const finalizers = async () => (await cluster.get(CSV))?.metadata.finalizers ?? [];
  const owner = async () =>
    (await cluster.get({ apiVersion: 'v1', kind: 'Namespace', name: 'kube-system' }))?.metadata.annotations?.[OWNER];

  const fleetOption = ['--fleet', fleet.options.hub];
  const added = await runFlotilla(['clusters', 'add', '--context', name, ...fleetOption]);
  expect([added.exit, added.out]).toEqual([0, expect.stringContaining(`cluster ${name} added to the fleet of`)]);
  await expect.poll(reachable, LONG_PATIENCE).toEqual(['Acting', 'Answering'].sort());
  await expect.poll(() => cluster.serves(CSV_API), LONG_PATIENCE).toBe(true);
  await cluster.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } });
  await cluster.create(operator());
  await expect.poll(finalizers, LONG_PATIENCE).toEqual([CSV_CLEANUP_FINALIZER]);
  expect(await owner()).toBeDefined();

  const removed = await runFlotilla(['clusters', 'remove', name, '--yes', '--timeout', '5m', ...fleetOption]);
  expect([removed.exit, removed.out]).toEqual([0, expect.stringContaining(`cluster ${name} removed from the fleet`)]);
  expect(await finalizers()).toEqual([]);
  expect(await owner()).toBeUndefined();
  expect(await cluster.get(CSV), 'the operator').toBeDefined();
  await expect.poll(() => fleet.hub.get(secret), LONG_PATIENCE).toBeUndefined();

  await fleet.hub.create(secretOf(name, await fleet.login(name)));
  await fleet.apply('FleetCluster', name, { access: { secretRef: { name } } });
  await expect.poll(reachable, LONG_PATIENCE).toEqual(['Acting', 'Answering'].sort());
  await expect.poll(finalizers, LONG_PATIENCE).toEqual([CSV_CLEANUP_FINALIZER]);
  await fleet.hub.delete(secret);
  await fleet.hub.delete(member);
  await expect.poll(() => fleet.hub.get(member), LONG_PATIENCE).toBeUndefined();
  expect(await finalizers()).toEqual([]);
}

const operator = (): KubernetesObject =>
  ({
    ...CSV_API,
    metadata: { name: CSV.name, namespace: NAMESPACE },
    spec: {
      ...{ displayName: 'Lamp', version: '1.0.0', installModes: [{ type: 'OwnNamespace', supported: true }] },
      install: { strategy: 'deployment', spec: { deployments: [] } },
    },
  }) as KubernetesObject;
