import { expect } from 'vitest';
import { CLUSTER_CATALOG_API } from '#core/kernel/api/cluster-catalog';
import { FLEET_API } from '#core/kernel/api/fleet/fleet-fields';
import { LONG_PATIENCE } from '#testing/patience';
import { type FleetHub, PLATFORM } from './fleet-hub.js';
import { MadeExtension } from './made-extension.js';

const [PACKAGE, PLACE] = ['beacon', 'beacons'];
const [FIRST, NEXT, LAST] = ['beacon.v1.0.0', 'beacon.v1.1.0', 'beacon.v1.2.0'];
const PLAN = 'fleet.flotilla.dev/plan';
const ROLLBACK = 'flotilla.dev/rollback-to-revision';

type Rollout = Readonly<{
  phase?: string;
  waves?: readonly Readonly<{ name: string; phase: string }>[];
  classes?: readonly Readonly<{ hash: string; clusters: number; approval: string; changes: readonly string[] }>[];
}>;

const rolloutOf = async (fleet: FleetHub, name: string) => (await fleet.status('FleetRollout', name)) as Rollout;

const textIn = async (fleet: FleetHub, cluster: string) => {
  const ref = { apiVersion: 'v1', kind: 'ConfigMap', name: 'beacon-settings', namespace: PLACE };
  return ((await fleet.client(cluster).get(ref)) as { data?: { text?: string } } | undefined)?.data?.text;
};

const offer = (fleet: FleetHub, image: string) =>
  fleet.hub.patch(
    { apiVersion: FLEET_API, kind: 'FleetCatalog', name: 'lamps', namespace: PLATFORM },
    { spec: { image } },
  );

const decide = (fleet: FleetHub, name: string, spec: object) =>
  fleet.apply('FleetDecision', name, { reason: 'CHG-1190', by: { user: 'anna', groups: [] }, ...spec });

/**
 * A class that waits for its approval, and is none of `but`. It has at least `size` clusters: a cluster that
 * still plans the target before this one is skipped, and its rollout can end without it.
 */
async function waitingClass(fleet: FleetHub, rollout: string, size: number, but: readonly string[] = []) {
  const find = async () =>
    (await rolloutOf(fleet, rollout)).classes?.find(
      ({ approval, hash, clusters }) => approval === 'Waiting' && clusters >= size && !but.includes(hash),
    );
  await expect.poll(async () => (await find()) !== undefined, LONG_PATIENCE).toBe(true);
  const found = await find();
  if (found === undefined) throw new Error(`no class of ${rollout} waits`);
  return found;
}

/**
 * Plays the install and upgrade of a ClusterExtension in waves, with the catalog by digest in each cluster's
 * turn. The approved content is installed: other content of the same version is refused, and needs another
 * approval.
 */
export async function rollOutExtensions(fleet: FleetHub): Promise<void> {
  const { names } = fleet;
  const beacon = new MadeExtension(fleet, PACKAGE);
  const all = () => Promise.all(names.map((name) => beacon.installedIn(name)));
  const every = (bundle: string) => names.map(() => bundle);
  for (const version of ['1.0.0', '1.1.0']) await beacon.putBundle(version);
  await fleet.apply('FleetCatalog', 'lamps', {
    image: await beacon.putCatalog('v1', ['1.0.0']),
    clusterCatalog: { name: 'lamps' },
  });
  const tiers = [...new Set(Object.values(fleet.options.clusters).map(({ tier = '' }) => tier))];
  await fleet.apply('FleetStrategy', 'extensions', {
    waves: tiers.slice(0, -1).map((tier) => ({ name: tier, clusters: { selector: { matchLabels: { tier } } } })),
    approval: { default: 'Auto', rules: [{ changes: ['Minor'], action: 'Manual' }] },
  });
  await fleet.apply('FleetOperator', 'beacon', {
    api: 'V1',
    package: PACKAGE,
    namespace: PLACE,
    catalog: { fleetCatalog: 'lamps' },
    strategyRef: { name: 'extensions' },
  });
  await expect.poll(async () => (await rolloutOf(fleet, 'beacon-1')).phase, LONG_PATIENCE).toBe('Completed');
  expect(await all()).toEqual(every(FIRST));
  const [lab = ''] = names;
  const made = await beacon.in(lab);
  expect(made?.spec.source.catalog).toMatchObject({ packageName: PACKAGE, version: '1.0.0' });
  expect(made?.metadata.annotations?.[PLAN]).toMatch(/^[0-9a-f]{64}$/);

  const catalogIn = (name: string) => fleet.client(name).get({ ...CLUSTER_CATALOG_API, name: 'lamps' });
  const before = (await catalogIn(lab))?.['spec'];
  await offer(fleet, await beacon.putCatalog('v2', ['1.0.0', '1.1.0']));
  const reviewed = await waitingClass(fleet, 'beacon-2', names.length);
  expect(reviewed.changes).toContain('Minor');
  expect((await catalogIn(lab))?.['spec'], 'nothing was written').toEqual(before);

  // The same version, and another content by the time of its turn.
  await beacon.putBundle('1.1.0', 'other');
  await decide(fleet, 'approve-other', { rollout: 'beacon-2', action: 'Approve', class: reviewed.hash });
  const other = await waitingClass(fleet, 'beacon-2', 1, [reviewed.hash]);
  expect(await all()).toEqual(every(FIRST));
  expect(await textIn(fleet, lab)).toBe('1.0.0');
  await decide(fleet, 'approve-again', { rollout: 'beacon-2', action: 'Approve', class: other.hash });
  await expect.poll(async () => (await rolloutOf(fleet, 'beacon-2')).phase, LONG_PATIENCE).toBe('Completed');
  expect(await all()).toEqual(every(NEXT));
  expect(await textIn(fleet, lab)).toBe('other');
  const { waves = [] } = await rolloutOf(fleet, 'beacon-2');
  expect(waves.map(({ name, phase }) => `${name} ${phase}`)).toEqual(
    [...tiers.slice(0, -1), 'rest'].map((name) => `${name} Complete`),
  );
}

/**
 * After {@link rollOutExtensions}: all clusters go back to the revision that they keep, while the registry is
 * away, and go forward from there.
 */
export async function returnExtensions(fleet: FleetHub, withoutRegistry: () => () => void): Promise<void> {
  const { names } = fleet;
  const beacon = new MadeExtension(fleet, PACKAGE);
  const all = () => Promise.all(names.map((name) => beacon.installedIn(name)));
  const [lab = ''] = names;
  const restore = withoutRegistry();
  await decide(fleet, 'back', { rollout: 'beacon-2', action: 'Rollback' });
  await expect.poll(async () => (await rolloutOf(fleet, 'beacon-2')).phase, LONG_PATIENCE).toBe('RolledBack');
  expect(await all()).toEqual(names.map(() => FIRST));
  expect(await textIn(fleet, lab)).toBe('1.0.0');
  const held = await beacon.in(lab);
  expect(held?.metadata.annotations?.[ROLLBACK]).toBe('1');
  restore();

  await beacon.putBundle('1.2.0');
  await offer(fleet, await beacon.putCatalog('v3', ['1.0.0', '1.2.0']));
  const next = await waitingClass(fleet, 'beacon-3', names.length);
  await decide(fleet, 'approve-last', { rollout: 'beacon-3', action: 'Approve', class: next.hash });
  await expect.poll(async () => (await rolloutOf(fleet, 'beacon-3')).phase, LONG_PATIENCE).toBe('Completed');
  expect(await all()).toEqual(names.map(() => LAST));
  expect((await beacon.in(lab))?.metadata.annotations?.[ROLLBACK]).toBeUndefined();
}
