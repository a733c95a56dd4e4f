import { expect } from 'vitest';
import { OPERATOR_ANNOTATION } from '#core/cluster/marks/fleet-marks';
import { CLUSTER_CATALOG_API } from '#core/kernel/api/cluster-catalog';
import { CLUSTER_EXTENSION_API } from '#core/kernel/api/cluster-extension';
import { FLEET_API } from '#core/kernel/api/fleet/fleet-fields';
import { LONG_PATIENCE } from '#testing/patience';
import { type FleetHub, PLATFORM } from './fleet-hub.js';
import { MadeExtension } from './made-extension.js';

const [NAME, PLACE] = ['torch', 'torches'];
const FIRST = 'torch.v1.0.0';
const OPERATOR = { apiVersion: FLEET_API, kind: 'FleetOperator', name: NAME, namespace: PLATFORM };
const EXTENSION = { ...CLUSTER_EXTENSION_API, name: NAME };

type Condition = Readonly<{ type: string; status: string; message?: string }>;

/** `status: message` of a condition of the FleetOperator. */
async function condition(fleet: FleetHub, type: string): Promise<string> {
  const { conditions = [] } = (await fleet.status('FleetOperator', NAME)) as { conditions?: readonly Condition[] };
  const found = conditions.find((one) => one.type === type);
  return `${found?.status}: ${found?.message ?? ''}`;
}

/** Returns the report of a cluster about the FleetOperator. */
async function reportOf(fleet: FleetHub, name: string): Promise<Readonly<Record<string, unknown>> | undefined> {
  const found = await fleet.hub.get({ apiVersion: FLEET_API, kind: 'FleetAssignment', name });
  const { rows = [] } = (found?.['status'] ?? {}) as { rows?: readonly Readonly<Record<string, unknown>>[] };
  return rows.find(({ subject }) => subject === `FleetOperator/${PLATFORM}/${NAME}`);
}

const setSpec = (fleet: FleetHub, spec: object) => fleet.hub.patch(OPERATOR, { spec });
const askFor = (fleet: FleetHub, cluster: string, version: string) =>
  fleet.client(cluster).patch(EXTENSION, { spec: { source: { catalog: { version } } } });
const versionIn = async (fleet: FleetHub, cluster: string) =>
  (await new MadeExtension(fleet, NAME).in(cluster))?.spec.source.catalog?.version;

/**
 * Plays a ClusterExtension of users in the way of a FleetOperator. The status names it, and the other
 * clusters get theirs. With `adopt: true` the fleet takes it over as it is.
 */
export async function adoptExtension(fleet: FleetHub): Promise<void> {
  const [lab = '', ...others] = fleet.names;
  const torch = new MadeExtension(fleet, NAME);
  await torch.putBundle('1.0.0');
  const image = await torch.putCatalog('v1', ['1.0.0']);
  const ofUsers = { type: 'Image', image: { ref: image } };
  const client = fleet.client(lab);
  await client.create({ ...CLUSTER_CATALOG_API, metadata: { name: NAME }, spec: { source: ofUsers } });
  await client.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: PLACE } });
  const source = { sourceType: 'Catalog', catalog: { packageName: NAME } };
  await client.create({ ...CLUSTER_EXTENSION_API, metadata: { name: NAME }, spec: { namespace: PLACE, source } });
  await expect.poll(() => torch.installedIn(lab), LONG_PATIENCE).toBe(FIRST);
  const before = await torch.in(lab);

  await fleet.apply('FleetCatalog', 'torches', { image, clusterCatalog: { name: 'torches' } });
  await fleet.apply('FleetStrategy', 'torches', { waves: [{ name: 'all', maxConcurrent: '100%' }] });
  await fleet.apply('FleetOperator', NAME, {
    api: 'V1',
    package: NAME,
    namespace: PLACE,
    catalog: { fleetCatalog: 'torches' },
    strategyRef: { name: 'torches' },
  });
  await expect
    .poll(() => condition(fleet, 'Conflict'), LONG_PATIENCE)
    .toMatch(new RegExp(`^True: .*${lab}.*ClusterExtension torch is not the fleet's: set adopt: true to take it over`));
  const installed = () => Promise.all(others.map((name) => torch.installedIn(name)));
  await expect.poll(installed, LONG_PATIENCE).toEqual(others.map(() => FIRST));
  expect((await torch.in(lab))?.spec, 'it stays as it was').toEqual(before?.spec);

  await setSpec(fleet, { adopt: true });
  const owner = async () => (await torch.in(lab))?.metadata.annotations?.[OPERATOR_ANNOTATION];
  await expect.poll(owner, LONG_PATIENCE).toBe(`${PLATFORM}/${NAME}`);
  await expect.poll(() => condition(fleet, 'Conflict'), LONG_PATIENCE).toMatch(/^False/);
  expect((await torch.in(lab))?.metadata.uid).toBe(before?.metadata.uid);
  expect(await torch.installedIn(lab)).toBe(FIRST);
  await expect.poll(async () => (await reportOf(fleet, lab))?.['state'], LONG_PATIENCE).toBe('Ready');
}

/** Plays changes of users to a ClusterExtension: they stay with `drift: Report`, and are reverted without. */
export async function reportDrift(fleet: FleetHub): Promise<void> {
  const [lab = ''] = fleet.names;
  await setSpec(fleet, { drift: 'Report' });
  // Again and again: the report is about each of the changes, whatever the hub does meanwhile.
  for (const version of ['>=1.0.0', '<2.0.0', '>=1.0.0']) {
    // The applier sets the change back until it has read that it is only to report.
    const asking = async () => {
      await askFor(fleet, lab, version);
      return reportOf(fleet, lab);
    };
    await expect.poll(asking, LONG_PATIENCE).toMatchObject({
      ...{ drift: true, reason: 'Drifted' },
      message: expect.stringContaining(`spec.source.catalog.version is "${version}", not "1.0.0"`),
    });
    expect(await versionIn(fleet, lab)).toBe(version);
  }
  await expect.poll(() => condition(fleet, 'Drifted'), LONG_PATIENCE).toMatch(new RegExp(`^True: .*${lab}`));
  await askFor(fleet, lab, '1.0.0');
  await expect.poll(() => condition(fleet, 'Drifted'), LONG_PATIENCE).toMatch(/^False/);

  await setSpec(fleet, { drift: 'Correct' });
  await askFor(fleet, lab, '>=1.0.0');
  await expect.poll(() => versionIn(fleet, lab), LONG_PATIENCE).toBe('1.0.0');
  await expect
    .poll(() => reportOf(fleet, lab), LONG_PATIENCE)
    .toMatchObject({
      ...{ drift: false, reason: 'DriftCorrected' },
      message: expect.stringContaining('reverted: ClusterExtension torch'),
    });
}

/** A ClusterExtension that users delete is named in the status, and is not made again by itself. */
export async function nameTheDeleted(fleet: FleetHub): Promise<void> {
  const last = fleet.names.at(-1) ?? '';
  const torch = new MadeExtension(fleet, NAME);
  await fleet.client(last).delete(EXTENSION);
  await expect.poll(() => condition(fleet, 'Drifted'), LONG_PATIENCE).toMatch(new RegExp(`^True: .*${last}`));
  expect(await reportOf(fleet, last)).toMatchObject({
    ...{ drift: true, reason: 'Drifted' },
    message: expect.stringMatching(/^the ClusterExtension of package torch was deleted in the cluster/),
  });
  expect(await torch.in(last)).toBeUndefined();
}

/** Plays `removal`: ClusterExtensions after the fleet no longer selects their clusters. */
export async function leaveExtensions(fleet: FleetHub): Promise<void> {
  const [lab = '', second = ''] = fleet.names;
  const torch = new MadeExtension(fleet, NAME);
  const isThere = async (name: string) => (await torch.in(name)) !== undefined;
  await setSpec(fleet, { clusters: { expression: `cluster.name != "${lab}"` } });
  await expect.poll(() => reportOf(fleet, lab), LONG_PATIENCE).toBeUndefined();
  expect(await isThere(lab), 'with removal: Keep').toBe(true);
  expect(await torch.installedIn(lab)).toBe(FIRST);

  await setSpec(fleet, { removal: 'Delete' });
  const held = async () => ((await fleet.hub.get(OPERATOR))?.metadata.finalizers ?? []).length;
  await expect.poll(held, LONG_PATIENCE).toBeGreaterThan(0);
  await fleet.hub.delete(OPERATOR);
  await expect.poll(() => fleet.hub.get(OPERATOR), LONG_PATIENCE).toBeUndefined();
  expect(await isThere(second)).toBe(false);
  const namespace = { apiVersion: 'v1', kind: 'Namespace', name: PLACE };
  expect(await fleet.client(second).get(namespace)).toBeDefined();
  expect(await isThere(lab), 'it was left before').toBe(true);
}
