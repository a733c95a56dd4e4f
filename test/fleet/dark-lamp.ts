import { expect } from 'vitest';
import { FLEET_API } from '#core/kernel/api/fleet/fleet-fields';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import { LONG_PATIENCE } from '#testing/patience';
import { clusterObjects, SEA } from '../../apps/cli/src/commands/demo/fleet/fleet-objects.js';
import { bundleOf, offerLighthouse, PACKAGE } from '../../apps/cli/src/commands/demo/fleet/lighthouse.js';
import type { FleetHub } from './fleet-hub.js';

const SUBSCRIPTION = {
  apiVersion: 'operators.coreos.com/v1alpha1',
  kind: 'Subscription',
  name: PACKAGE,
  namespace: SEA,
};
const LIGHTHOUSE = { apiVersion: 'lighthouse.example.com/v1', kind: 'Lighthouse', name: 'north', namespace: SEA };
const FIRST = { version: '1.0.0' };
const BAD = { version: '1.1.0', replaces: '1.0.0' };

/**
 * OLM says that a new version has succeeded in canary, and the objects of the operator say that it has not: a
 * check in CEL stops it there, every cluster that had it goes back, and it is not offered again.
 */
export async function stopAtADarkLamp(fleet: FleetHub): Promise<void> {
  const [lab = '', canary = '', shops = ''] = fleet.names;
  const installed = (name: string) => installedIn(fleet.client(name));
  const all = () => Promise.all(fleet.names.map(installed));
  const { registry } = fleet.environment;
  await offerLighthouse(registry, [FIRST]);
  for (const name of fleet.names) {
    const namespaced = clusterObjects(registry.host).filter(({ metadata }) => metadata.name !== 'olm');
    for (const object of namespaced) await fleet.client(name).create(object);
  }
  await expect.poll(all, LONG_PATIENCE).toEqual(fleet.names.map(() => bundleOf('1.0.0')));
  for (const name of fleet.names) {
    await fleet.client(name).patch(SUBSCRIPTION, { spec: { installPlanApproval: 'Manual' } });
    await light(fleet.client(name), name !== canary);
  }
  const cel = { apiVersion: LIGHTHOUSE.apiVersion, kind: 'Lighthouse', namespace: SEA, selector: {} };
  const lamp = {
    name: 'lamp',
    times: 2,
    interval: '1s',

    cel: { ...cel, expression: 'object.status.lit' },
  };
  const wave = (tier: string) => ({ name: tier, clusters: { selector: { matchLabels: { tier } } }, gates: [lamp] });
  await fleet.apply('FleetStrategy', 'lit', { onFailure: 'RollBackAll', waves: [wave('lab'), wave('canary')] });
  await fleet.apply('FleetOperator', 'lighthouse', {
    package: PACKAGE,
    namespace: SEA,
    catalog: { name: 'curated', namespace: 'olm' },
    strategyRef: { name: 'lit' },
    adopt: true,
  });
  await offerLighthouse(registry, [FIRST, BAD]);
  await expect.poll(() => installed(lab), LONG_PATIENCE).toBe(bundleOf('1.1.0'));
  const rollout = () => fleet.status('FleetRollout', 'lighthouse-1');
  await expect.poll(async () => (await rollout())['phase'], LONG_PATIENCE).toBe('RolledBack');
  expect(await all()).toEqual(fleet.names.map(() => bundleOf('1.0.0')));
  expect(await plansFor(fleet.client(shops), bundleOf('1.1.0'))).toEqual([false]);
  expect(await fleet.client(canary).get(LIGHTHOUSE), 'objects of the operator survive').toBeDefined();
  const next = await fleet.hub.get({
    apiVersion: FLEET_API,
    kind: 'FleetRollout',
    name: 'lighthouse-2',
    namespace: 'platform',
  });
  expect(next, 'it is not offered again').toBeUndefined();
}

async function installedIn(client: KubeClient): Promise<string | undefined> {
  const found = (await client.get(SUBSCRIPTION)) as { status?: { installedCSV?: string } } | undefined;
  return found?.status?.installedCSV;
}

/** The script plays the operator: it says whether the lamp burns. */
async function light(client: KubeClient, lit: boolean): Promise<void> {
  const { apiVersion, kind, name, namespace } = LIGHTHOUSE;
  const object = { apiVersion, kind, metadata: { name, namespace }, spec: { height: 40 } } as KubernetesObject;
  const { object: made } = await client.create(object);
  await client.updateStatus({ ...made, status: { lit } } as KubernetesObject);
}

/** Returns the approval of each InstallPlan that leads to a bundle. */
async function plansFor(client: KubeClient, bundle: string): Promise<boolean[]> {
  const kind = { apiVersion: SUBSCRIPTION.apiVersion, kind: 'InstallPlan' };
  const list = await client.list(kind, { namespace: SEA });
  type Spec = Readonly<{ approved: boolean; clusterServiceVersionNames: readonly string[] }>;
  const specs = (list?.items ?? []).map((item) => (item as unknown as { spec: Spec }).spec);
  return specs.filter((one) => one.clusterServiceVersionNames.includes(bundle)).map(({ approved }) => approved);
}
