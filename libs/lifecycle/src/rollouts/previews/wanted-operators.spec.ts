import { afterEach, beforeEach, expect, it } from 'vitest';
import { FLEET_API } from '#core/kernel/api/fleet/fleet-fields';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { SystemClock } from '#platform/clock/system-clock';
import { silentLog } from '#platform/telemetry/log.port';
import { type DirectCluster, directCluster } from '#testing/cluster/direct-client';
import { fleetDefinitions, serveKinds } from '#testing/cluster/fleet-definitions';
import { PATIENCE } from '#testing/patience';
import { WantedOperators } from './wanted-operators.js';

const SUBJECT = 'FleetOperator/platform/kafka';

let hub: DirectCluster;
let wanted: WantedOperators;
const create = (kind: string, metadata: object, spec: object) =>
  hub.client.create({ apiVersion: FLEET_API, kind, metadata, spec } as KubernetesObject);
const channel = () => wanted.in('shop-1', 'apps', 'olm')[0]?.desired.subscription.spec.channel;

beforeEach(async () => {
  hub = directCluster('hub');
  await serveKinds(hub, await fleetDefinitions());
  hub.cluster.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'platform' } });
  await create('FleetCluster', { name: 'shop-1' }, { access: { context: 'shop-1' } });
  await create(
    'FleetOperator',
    { name: 'kafka', namespace: 'platform' },
    {
      ...{ package: 'kafka', namespace: 'apps', catalog: { name: 'curated' }, classic: { channel: 'stable' } },
      overrides: [{ clusters: { selector: { matchLabels: { tier: 'beta' } } }, channel: 'beta' }],
    },
  );
  await create('FleetAssignment', { name: 'shop-1' }, { rows: [{ subject: SUBJECT, order: 'Preview' }] });
  wanted = new WantedOperators(hub.client, { clock: new SystemClock(), log: silentLog }, () => 0.5, {} as never);
});
afterEach(async () => {
  await wanted.stop();
  await hub.stop();
});

it('wants what an override asks for, as soon as a label selects the cluster', async () => {
  const touched: string[] = [];
  wanted.onChange((cluster, namespaces) => touched.push(`${cluster} ${[...namespaces].join()}`));
  wanted.start();
  await expect.poll(channel, PATIENCE).toBe('stable');
  touched.splice(0);
  const ref = { apiVersion: FLEET_API, kind: 'FleetCluster', name: 'shop-1' };
  await hub.client.patch(ref, { metadata: { labels: { tier: 'beta' } } });
  await expect.poll(channel, PATIENCE).toBe('beta');
  expect(touched).toEqual(['shop-1 apps']);
});

it('wants what the oldest FleetOperator of a package asks for, and not what others ask for besides', async () => {
  const spec = { package: 'kafka', namespace: 'apps', catalog: { name: 'curated' }, classic: { channel: 'lts' } };
  await create('FleetOperator', { name: 'kafka-of-others', namespace: 'platform' }, spec);
  const ref = { apiVersion: FLEET_API, kind: 'FleetAssignment', name: 'shop-1' };
  const rows = [`${SUBJECT}-of-others`, SUBJECT].map((subject) => ({ subject, order: 'Preview' }));
  await hub.client.patch(ref, { spec: { rows } });
  wanted.start();
  await expect.poll(channel, PATIENCE).toBe('stable');
  expect(wanted.in('shop-1', 'apps', 'olm')).toHaveLength(1);
});
