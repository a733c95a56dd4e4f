import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FLEET_API } from '#core/kernel/api/fleet/fleet-fields';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { fleetCrd } from '#core/rollout/kinds/custom-resource';
import { type DirectClient, type DirectCluster, directClient, directCluster } from '#testing/cluster/direct-client';
import { PATIENCE } from '#testing/patience';
import { ManualClock } from '../clock/manual-clock.js';
import { KubeApiError } from '../kube/client/kube-client.port.js';
import { silentLog } from '../telemetry/log.port.js';
import { NotLeading } from './fleet-client.js';
import { FleetStore } from './fleet-store.js';

const KIND = { apiVersion: FLEET_API, kind: 'FleetCluster' };
const ref = (name: string) => ({ ...KIND, name });
const cluster = (name: string): KubernetesObject => ({
  ...KIND,
  metadata: { name },
  spec: { access: { context: name } },
});

describe('the fleet’s objects as a service has them', () => {
  let hub: DirectCluster;
  let access: DirectClient;
  let store: FleetStore;
  let mayWrite = true;
  beforeEach(async () => {
    mayWrite = true;
    hub = directCluster('hub');
    hub.cluster.create(fleetCrd('FleetCluster'));
    await expect.poll(() => hub.client.serves(KIND), PATIENCE).toBe(true);
    access = directClient(hub.cluster, 'service');
    const options = { client: access.client, clock: new ManualClock(), log: silentLog };
    store = new FleetStore({ ...options, kinds: ['FleetCluster'], checkName: 'fleet', mayWrite: () => mayWrite });
    store.start();
    await store.whenSynced();
  });
  afterEach(async () => {
    await store.stop();
    await hub.stop();
  });

  it('have the writes of the service at once, and those of others with the watch', async () => {
    await store.client.create(cluster('own'));
    expect(store.kept('FleetCluster').map(({ metadata }) => metadata.name)).toEqual(['own']);
    await hub.client.create(cluster('theirs'));
    const names = () => store.kept('FleetCluster').map(({ metadata }) => metadata.name);
    await expect.poll(names, PATIENCE).toEqual(['own', 'theirs']);
  });

  it('are read without a request', async () => {
    await store.client.create(cluster('own'));
    hub.cluster.requests.clear();
    expect(await store.client.get(ref('own'))).toMatchObject({ spec: { access: { context: 'own' } } });
    expect(await store.client.get(ref('none'))).toBeUndefined();
    expect((await store.client.list(KIND))?.items).toHaveLength(1);
    expect([...hub.cluster.requests]).toEqual([]);
  });

  it('are read from the API server after a conflict, until the watch has the other write', async () => {
    await store.client.create(cluster('one'));
    const before = await store.client.get(ref('one'));
    hub.cluster.edit(ref('one'), (object) => {
      object['spec'] = { access: { context: 'one' }, paused: true };
    });
    const late = store.client.update({ ...before, metadata: { ...before?.metadata, labels: { a: 'b' } } } as never);
    await expect(late).rejects.toSatisfy((error) => KubeApiError.is(error, 'Conflict'));
    expect(await store.client.get(ref('one'))).toMatchObject({ spec: { paused: true } });
  });

  it('are not written while another process leads', async () => {
    mayWrite = false;
    await expect(store.client.create(cluster('one'))).rejects.toThrow(NotLeading);
    await expect(store.client.delete(ref('one'))).rejects.toThrow(NotLeading);
    expect(await hub.client.get(ref('one'))).toBeUndefined();
  });

  it('make the service degraded, and not unready, where a kind is not served', async () => {
    expect(await store.check.check()).toMatchObject({ up: true });
    const options = { client: access.client, clock: new ManualClock(), log: silentLog, checkName: 'fleet' };
    const other = new FleetStore({ ...options, kinds: ['FleetOperator'] });
    other.start();
    await other.whenSynced();
    const detail = 'the hub API does not serve FleetOperator: apply the definitions of k8s/crds/fleet';
    expect(await other.check.check()).toEqual({ up: true, degraded: true, detail });
    await other.stop();
  });
});
