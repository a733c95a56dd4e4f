import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { clusterStatus } from '#core/cluster/membership/cluster-conditions';
import { FLEET_API } from '#core/kernel/api/fleet/fleet-fields';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { runFlotilla } from '../../../run-flotilla.fixture.js';
import { offerAll, type PlayedHub, startPlayedHub } from '../played-hub.fixture.js';

const SHOP = { apiVersion: FLEET_API, kind: 'FleetCluster', name: 'shop-1' };

describe('a cluster whose name another one has taken', () => {
  let hub: PlayedHub;
  beforeAll(async () => {
    hub = await startPlayedHub(['lab-1', 'shop-1'], {});
  });
  afterAll(() => hub.stop());

  const accept = (...args: readonly string[]) =>
    runFlotilla(['clusters', 'accept', ...args, '--fleet', 'hub', '--kubeconfig', hub.kubeconfig]);
  const annotations = async () => (await hub.fleet.hub.client.get(SHOP))?.metadata.annotations;

  it('has nothing to be accepted before', async () => {
    expect(await accept('shop-1')).toMatchObject({ exit: 1, err: expect.stringContaining('nothing to accept') });
    expect(await accept('gone')).toMatchObject({ exit: 2, err: expect.stringContaining('no FleetCluster gone') });
  });

  it('is explained with the command that accepts it, which names it by its UID', async () => {
    const found = await hub.fleet.hub.client.get(SHOP);
    const { status: before } = found as unknown as { status: Parameters<typeof clusterStatus>[0] };
    const status = clusterStatus(before, { uid: 'u-2' }, new Date().toISOString());
    await hub.fleet.hub.client.updateStatus({ ...found, status } as KubernetesObject);
    await offerAll(hub);
    const { out } = await hub.flotilla('explain', 'kafka-1', '-C', 'shop-1');
    expect(out).toContain('another cluster answers under its name (IdentityChanged)');
    expect(out).toContain('UID u-2, that of the fleet has shop-1');
    expect(out).toContain('→ flotilla clusters accept shop-1');

    const dry = await accept('shop-1', '--dry-run');
    expect(dry).toMatchObject({
      exit: 0,
      out: 'the cluster with UID u-2 would replace shop-1 (before: shop-1)\n',
    });
    expect(await annotations()).toBeUndefined();
    expect(await accept('shop-1')).toMatchObject({
      exit: 0,
      out: 'the cluster with UID u-2 replaces shop-1 (before: shop-1)\n',
    });
    expect(await annotations()).toEqual({ 'fleet.flotilla.dev/accepted-uid': 'u-2' });
  });
});
