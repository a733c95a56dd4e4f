import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FLEET_API } from '#core/kernel/api/fleet/fleet-fields';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { fleetCrd } from '#core/rollout/kinds/custom-resource';
import { directCluster } from '#testing/cluster/direct-client';
import { PATIENCE } from '#testing/patience';
import { ManualClock } from '../clock/manual-clock.js';
import { KubeApiError, type KubeClient } from '../kube/client/kube-client.port.js';
import { silentLog } from '../telemetry/log.port.js';
import { FleetStore } from './fleet-store.js';
import { FleetFolder } from './folder/fleet-folder.js';
import { ObjectTable } from './objects/object-table.js';
import { TableClient } from './objects/table-client.js';

const KINDS = ['FleetAssignment', 'FleetRollout', 'FleetPlan', 'FleetCatalog'] as const;
const ASSIGNMENT = { apiVersion: FLEET_API, kind: 'FleetAssignment' };
const ROLLOUT = { apiVersion: FLEET_API, kind: 'FleetRollout' };
const CATALOG = { apiVersion: FLEET_API, kind: 'FleetCatalog', namespace: 'platform', name: 'curated' };
const row = (subject: string) => ({ subject, order: 'Preview', attempt: 0, approvedBy: [] });
const assignment = (name: string, more: object = {}): KubernetesObject =>
  ({
    ...ASSIGNMENT,
    metadata: { name, ...more },
    spec: { rows: [row('FleetOperator/platform/kafka')] },
  }) as KubernetesObject;
const rollout = (name: string): KubernetesObject =>
  ({
    ...ROLLOUT,
    metadata: { name, namespace: 'platform' },
    spec: {
      subject: { kind: 'FleetOperator', name: 'kafka' },
      ...{ number: 1, trigger: 'CatalogChange', target: { bundle: 'kafka.v2' }, strategy: {}, cuts: [] },
    },
  }) as KubernetesObject;
const catalog = { apiVersion: FLEET_API, kind: 'FleetCatalog', metadata: { name: 'curated', namespace: 'platform' } };
const REVISION = { digest: 'sha256:1', seenAt: '2026-11-27T08:00:00Z', packages: 1 };
const catalogSpec = { image: 'registry.example/curated:v1', catalogSource: { name: 'curated' } };

/** A place of the fleet's objects, as services have it: `as` gives the client of another field manager. */
type Place = Readonly<{ client: KubeClient; as: (fieldManager: string) => KubeClient; stop: () => Promise<void> }>;

async function kubePlace(): Promise<Place> {
  const hub = directCluster('hub');
  for (const kind of KINDS) hub.cluster.create(fleetCrd(kind));
  for (const kind of KINDS) {
    await expect.poll(() => hub.client.serves({ apiVersion: FLEET_API, kind }), PATIENCE).toBe(true);
  }
  hub.cluster.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'platform' } });
  await hub.client.create({ ...catalog, spec: catalogSpec } as KubernetesObject);
  return { client: hub.client, as: () => hub.client, stop: () => hub.stop() };
}

async function folderPlace(): Promise<Place> {
  const path = await mkdtemp(join(tmpdir(), 'flotilla-fleet-'));
  await writeFile(join(path, 'catalog.yaml'), JSON.stringify({ ...catalog, spec: catalogSpec }));
  const folder = await FleetFolder.open({ path, clock: new ManualClock(), log: silentLog });
  const stop = async () => {
    await folder.stop();
    await rm(path, { recursive: true, force: true, maxRetries: 5 });
  };
  return { client: folder.client('service'), as: (name) => folder.client(name), stop };
}

async function memoryPlace(): Promise<Place> {
  const clock = new ManualClock();
  const table = new ObjectTable({ name: 'memory', clock });
  const common = { table, name: 'memory', clock, applied: new Map() };
  const client = new TableClient({ ...common, fieldManager: 'service' });
  await client.create({ ...catalog, spec: catalogSpec } as KubernetesObject);
  return { client, as: (fieldManager) => new TableClient({ ...common, fieldManager }), stop: async () => undefined };
}

const PLACES = { 'an API server': kubePlace, 'a folder': folderPlace, memory: memoryPlace };

describe.each(Object.entries(PLACES))('the fleet’s objects in %s', (_name, open) => {
  let place: Place;
  let client: KubeClient;
  beforeEach(async () => {
    place = await open();
    ({ client } = place);
  });
  afterEach(() => place.stop());

  const refused = async (work: Promise<unknown>, reason: string) => {
    const error = await work.then(
      () => undefined,
      (failure: unknown) => failure,
    );
    expect(error).toSatisfy((one) => KubeApiError.is(one, reason));
  };
  const names = async () => ((await client.list(ASSIGNMENT))?.items ?? []).map(({ metadata }) => metadata.name);

  it('are made once, with UID, version, time and generation', async () => {
    const { object } = await client.create(assignment('store-02'));
    expect(object.metadata).toMatchObject({ name: 'store-02', generation: 1, uid: expect.any(String) });
    expect(Number(object.metadata.resourceVersion)).toBeGreaterThan(0);
    expect(Date.parse(object.metadata.creationTimestamp ?? '')).not.toBeNaN();
    await refused(client.create(assignment('store-02')), 'AlreadyExists');
    await client.create(assignment('store-01'));
    expect(await names()).toEqual(['store-01', 'store-02']);
    expect(await client.get({ ...ASSIGNMENT, name: 'none' })).toBeUndefined();
  });

  it('get a name where they ask for one', async () => {
    const { object } = await client.create(assignment('', { name: undefined, generateName: 'store-' }));
    expect(object.metadata.name).toMatch(/^store-[a-z0-9]{5}$/);
  });

  it('are checked when they are written, and get defaults', async () => {
    const wrong = { ...assignment('store-01'), spec: { rows: 'none' } } as unknown as KubernetesObject;
    await refused(client.create(wrong), 'Invalid');
    await client.create(rollout('kafka-1'));
    const found = await client.get({ ...ROLLOUT, name: 'kafka-1', namespace: 'platform' });
    expect(found?.['spec']).toMatchObject({ strategy: { onFailure: 'Halt', supersede: 'AfterWave' } });
    const other = { ...found, spec: { ...(found?.['spec'] as object), number: 2 } } as KubernetesObject;
    await refused(client.update(other), 'Invalid');
  });

  it('are changed from their newest version alone', async () => {
    const { object: first } = await client.create(assignment('store-01'));
    const { object: second } = await client.update({ ...first, spec: { rows: [] } } as KubernetesObject);
    expect(second.metadata.generation).toBe(2);
    await refused(client.update({ ...first, spec: { rows: [], paused: true } } as KubernetesObject), 'Conflict');
    const { object: same } = await client.update(second);
    expect(same.metadata.resourceVersion).toBe(second.metadata.resourceVersion);
  });

  it('have a status apart: neither write changes the other part', async () => {
    const { object } = await client.create(assignment('store-01'));
    const both = { ...object, spec: { rows: [] }, status: { clusterUID: 'u' } } as KubernetesObject;
    const { object: reported } = await client.updateStatus(both);
    expect(reported).toMatchObject({ spec: object['spec'], status: { clusterUID: 'u' }, metadata: { generation: 1 } });
    const { object: written } = await client.update({
      ...reported,
      spec: { rows: [] },
      status: {},
    } as KubernetesObject);
    expect(written).toMatchObject({ spec: { rows: [] }, status: { clusterUID: 'u' } });
  });

  it('are patched field by field', async () => {
    const { object } = await client.create(assignment('store-01', { annotations: { a: '1' } }));
    const ref = { ...ASSIGNMENT, name: 'store-01' };
    const patch = { metadata: { annotations: { a: null, b: '2' } }, spec: { paused: true } };
    const { object: patched } = await client.patch(ref, patch);
    expect(patched).toMatchObject({ metadata: { annotations: { b: '2' } }, spec: { paused: true, rows: [{}] } });
    expect(patched.metadata.annotations).not.toHaveProperty('a');
    const { resourceVersion } = object.metadata;
    await refused(client.patch(ref, { metadata: { resourceVersion }, spec: { paused: false } }), 'Conflict');
  });

  it('stay while a finalizer holds them, and go with the last one', async () => {
    const { object } = await client.create(assignment('store-01', { finalizers: ['example.com/wait'] }));
    const ref = { ...ASSIGNMENT, name: 'store-01' };
    let held: KubernetesObject | undefined;
    await client.delete(ref, {
      onHeld: (one) => {
        held = one;
      },
    });
    expect(held?.metadata).toMatchObject({ uid: object.metadata.uid, deletionTimestamp: expect.any(String) });
    expect((await client.get(ref))?.metadata.deletionTimestamp).toEqual(expect.any(String));
    await client.patch(ref, { metadata: { finalizers: [] } });
    expect(await client.get(ref)).toBeUndefined();
    expect(await client.delete(ref)).toBe(false);
  });

  it('are deleted by UID where one is given', async () => {
    await client.create(assignment('store-01'));
    expect(await client.delete({ ...ASSIGNMENT, name: 'store-01' }, { uid: 'another' })).toBe(false);
    expect(await names()).toEqual(['store-01']);
    await client.delete({ ...ASSIGNMENT, name: 'store-01' });
    expect(await names()).toEqual([]);
  });

  it('have a status that each field manager applies its part of', async () => {
    const apply = (manager: string, status: object) =>
      place
        .as(manager)
        .apply({ ...catalog, status } as KubernetesObject, { subresource: 'status', fieldManager: manager });
    await apply('poller', { current: 'sha256:1', revisions: [REVISION] });
    await apply('controller', { digests: [{ digest: 'sha256:1', clusters: 2 }] });
    await apply('poller', { current: 'sha256:2' });
    const status = (await client.get(CATALOG))?.['status'];
    expect(status).toEqual({ current: 'sha256:2', digests: [{ digest: 'sha256:1', clusters: 2 }] });
  });

  it('are watched from the list on', async () => {
    const store = new FleetStore({
      client,
      clock: new ManualClock(),
      log: silentLog,
      kinds: ['FleetAssignment'],
      checkName: 'fleet',
    });
    await client.create(assignment('before'));
    store.start();
    await store.whenSynced();
    const kept = () => store.kept('FleetAssignment').map(({ metadata }) => metadata.name);
    expect(kept()).toEqual(['before']);
    await client.create(assignment('later'));
    await client.delete({ ...ASSIGNMENT, name: 'before' });
    await expect.poll(kept, PATIENCE).toEqual(['later']);
    expect(await store.check.check()).toMatchObject({ up: true, detail: 'the fleet’s objects are watched' });
    await store.stop();
  });

  it('are not served where they are of another kind', async () => {
    expect(await client.serves({ apiVersion: 'example.com/v1', kind: 'Other' })).toBe(false);
    expect(await client.list({ apiVersion: 'example.com/v1', kind: 'Other' })).toBeUndefined();
  });
});
