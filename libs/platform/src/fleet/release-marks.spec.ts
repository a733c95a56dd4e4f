import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { RELEASE_FINALIZER } from '#core/cluster/membership/cluster-release';
import { FLEET_API } from '#core/kernel/api/fleet/fleet-fields';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { fleetCrd } from '#core/rollout/kinds/custom-resource';
import { type DirectCluster, directCluster } from '#testing/cluster/direct-client';
import { Refusal } from '#testing/cluster/objects/refusal';
import { PATIENCE } from '#testing/patience';
import { ManualClock } from '../clock/manual-clock.js';
import { ClusterNotKept, ClusterWrites } from '../joining/cluster-writes.js';
import { OwnerCheck } from '../joining/owner-check.js';
import { ReleaseMarks } from './release-marks.js';

const NAME = 'store-01';
const FLEET_CLUSTER = { apiVersion: FLEET_API, kind: 'FleetCluster', name: NAME } as const;
const SYSTEM = { apiVersion: 'v1', kind: 'Namespace', name: 'kube-system' } as const;
const PATCH = { verb: 'patch', resource: 'fleetclusters' };
const OTHERS = 'example.com/other';

describe('the finalizer of a FleetCluster whose cluster is written to', () => {
  let hub: DirectCluster;
  let marks: ReleaseMarks;
  /** As the watch of the process has it. */
  let unmarked: string | undefined;

  beforeEach(async () => {
    hub = directCluster('hub');
    hub.cluster.create(fleetCrd('FleetCluster'));
    await expect.poll(() => hub.client.serves(FLEET_CLUSTER), PATIENCE).toBe(true);
    await join();
    marks = new ReleaseMarks({ hub: hub.client, secrets: { unmarked: () => unmarked } });
  });
  afterEach(() => hub.stop());

  async function join(): Promise<void> {
    await hub.client.create({
      ...{ apiVersion: FLEET_API, kind: 'FleetCluster', metadata: { name: NAME, finalizers: [OTHERS] } },
      spec: { access: { secretRef: { name: 'login' } } },
    } as KubernetesObject);
    unmarked = uid();
  }
  const uid = () => hub.cluster.get(FLEET_CLUSTER)?.metadata.uid;
  const finalizers = () => hub.cluster.get(FLEET_CLUSTER)?.metadata.finalizers;
  const patches = () => hub.cluster.requests.filter(({ verb }) => verb === 'patch').length;

  it('is set before the first write, beside those of others, and once', async () => {
    const writes = new ClusterWrites(
      NAME,
      () => undefined,
      () => marks.keep(NAME),
    );
    const write = () => writes.run(async () => finalizers());
    const found = await Promise.all([write(), write()]);
    expect(found).toEqual(Array(2).fill([OTHERS, RELEASE_FINALIZER]));
    expect(marks.keep(NAME), 'the watch does not have it yet').toBeUndefined();
    expect(patches()).toBe(1);
  });

  it('is set though the FleetCluster changes at the same moment', async () => {
    for (const _ of [1, 2, 3]) hub.cluster.failNext(PATCH, 409, 'Conflict');
    await marks.keep(NAME);
    expect(finalizers()).toEqual([OTHERS, RELEASE_FINALIZER]);
  });

  it('is set anew on a FleetCluster of the same name, and where a user took it off', async () => {
    await marks.keep(NAME);
    unmarked = undefined;
    expect(marks.keep(NAME)).toBeUndefined();
    hub.cluster.edit(FLEET_CLUSTER, ({ metadata }) => {
      metadata.finalizers = [];
    });
    unmarked = uid();
    await marks.keep(NAME);
    expect(finalizers()).toEqual([RELEASE_FINALIZER]);
    hub.cluster.edit(FLEET_CLUSTER, ({ metadata }) => {
      metadata.finalizers = [];
    });
    await hub.client.delete(FLEET_CLUSTER);
    await join();
    await marks.keep(NAME);
    expect(finalizers()).toEqual([OTHERS, RELEASE_FINALIZER]);
  });

  it.each([
    ['is deleted', () => hub.client.delete(FLEET_CLUSTER), /its FleetCluster is deleted$/],
    [
      'may not be patched',
      async () => hub.cluster.failAll(PATCH, new Refusal(403, 'Forbidden', 'not yours')),
      /not yours/,
    ],
  ])('cannot be set where the FleetCluster %s: nothing is written', async (_what, happen, because) => {
    await happen();
    const writes = new ClusterWrites(
      NAME,
      () => undefined,
      () => marks.keep(NAME),
    );
    let sent = 0;
    const written = writes.run(async () => {
      sent += 1;
    });
    await expect(written).rejects.toBeInstanceOf(ClusterNotKept);
    await expect(marks.keep(NAME)).rejects.toThrow(because);
    expect([sent, finalizers()]).toEqual([0, [OTHERS]]);
  });

  it('comes before the mark of the hub in the cluster', async () => {
    const store = directCluster(NAME);
    const owner = new OwnerCheck({
      ...{ client: store.client, clock: new ManualClock(), hub: { id: 'hub-1', older: [] }, mayTake: () => true },
      beforeWrite: () => marks.keep(NAME),
    });
    const allow = hub.cluster.failAll(PATCH, new Refusal(403, 'Forbidden', 'not yet'));
    const holder = () => store.cluster.get(SYSTEM)?.metadata.annotations?.['flotilla.dev/hub'];
    await expect(owner.status()).rejects.toBeInstanceOf(ClusterNotKept);
    expect(holder()).toBeUndefined();
    allow();
    expect((await owner.status()).acts).toBe(true);
    expect([holder(), finalizers()]).toEqual(['hub-1', [OTHERS, RELEASE_FINALIZER]]);
    await store.stop();
  });
});
