import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FleetCatalog, type FleetCatalogStatus } from '#core/kernel/api/fleet/fleet-catalog';
import { FLEET_API } from '#core/kernel/api/fleet/fleet-fields';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { fleetCrd } from '#core/rollout/kinds/custom-resource';
import { ManualClock } from '#platform/clock/manual-clock';
import { silentLog } from '#platform/telemetry/log.port';
import { type DirectCluster, directCluster } from '#testing/cluster/direct-client';
import { PATIENCE } from '#testing/patience';
import type { SharedCatalogs } from '../../catalogs/sources/shared-catalogs.js';
import { FleetCatalogs } from './fleet-catalogs.js';

const LAMPS = { apiVersion: FLEET_API, kind: 'FleetCatalog', name: 'lamps', namespace: 'platform' } as const;
const STATUS = { verb: 'patch', resource: 'fleetcatalogs', subresource: 'status' };
const [FIRST, SECOND] = ['1', '2'].map((digit) => `sha256:${digit.repeat(64)}`);
const TEN_MINUTES_MS = 600_000;

describe('the status of a FleetCatalog', () => {
  let hub: DirectCluster;
  let clock: ManualClock;
  let contents: FleetCatalogs;
  let digest: string | undefined;

  beforeEach(async () => {
    hub = directCluster('hub');
    hub.cluster.create(fleetCrd('FleetCatalog'));
    await expect.poll(() => hub.client.serves(LAMPS), PATIENCE).toBe(true);
    await hub.client.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'platform' } });
    await hub.client.create({
      ...{ apiVersion: FLEET_API, kind: 'FleetCatalog', metadata: { name: 'lamps', namespace: 'platform' } },
      spec: { image: 'registry.example/lamps:latest', pollInterval: '10m', clusterCatalog: { name: 'lamps' } },
    } as KubernetesObject);
    clock = new ManualClock();
    digest = FIRST;
    const catalogs = {
      ofImage: async () => ({ value: { digest, content: digest, packages: 1 }, begunAt: clock.now().getTime() }),
    } as unknown as SharedCatalogs;
    const options = { catalogs, clock, log: silentLog, random: () => 0.5 };
    contents = new FleetCatalogs({ ...options, onContent: () => undefined });
  });
  afterEach(async () => {
    contents.stop();
    await hub.stop();
  });

  const begin = async () => {
    const found = FleetCatalog.parse(await hub.client.get(LAMPS));
    contents.sync(new Map([['platform/lamps', found]]), hub.client);
  };
  const status = () => (hub.cluster.get(LAMPS)?.['status'] ?? {}) as FleetCatalogStatus;
  const current = () => status().current;

  it('is written again where the hub API refused it: clusters get no other digest', async () => {
    hub.cluster.failNext(STATUS, 500, 'InternalError');
    await begin();
    await expect.poll(() => hub.cluster.requests.filter(({ verb }) => verb === 'patch').length, PATIENCE).toBe(1);
    expect(current()).toBeUndefined();
    await clock.advance(5_000);
    await expect.poll(current, PATIENCE).toBe(FIRST);
  });

  it('has the newest digest though an earlier report takes longer', async () => {
    const { arrived, release } = hub.cluster.holdNext(STATUS);
    await begin();
    await arrived;
    digest = SECOND;
    await clock.advance(TEN_MINUTES_MS);
    await expect.poll(() => contents.of('platform/lamps')?.loaded?.digest, PATIENCE).toBe(SECOND);
    release();
    await expect.poll(current, PATIENCE).toBe(SECOND);
    expect(status().revisions?.map((one) => one.digest)).toEqual([FIRST, SECOND]);
  });

  it('is written no more once the process ends', async () => {
    hub.cluster.failNext(STATUS, 500, 'InternalError');
    await begin();
    await expect.poll(() => hub.cluster.requests.filter(({ verb }) => verb === 'patch').length, PATIENCE).toBe(1);
    contents.stop();
    await clock.advance(TEN_MINUTES_MS);
    expect(current()).toBeUndefined();
  });
});
