import { expect, it } from 'vitest';
import { AssignmentRow } from '#core/kernel/api/fleet/fleet-assignment';
import { FLEET_API } from '#core/kernel/api/fleet/fleet-fields';
import { FleetOperator } from '#core/kernel/api/fleet/fleet-operator';
import { InstallPlan } from '#core/kernel/api/install-plan';
import { directCluster } from '#testing/cluster/direct-client';
import { OrderMemo } from '../place/order-memo.js';
import { orderPlace } from '../place/order-place.fixture.js';
import type { RowFinding } from '../place/row-finding.js';
import { withContentChanges, withDifferences } from './fleet-plans.js';

const hash = 'a'.repeat(64);
const [FROM, TO] = ['kafka-operator.v2.3.0', 'kafka-operator.v2.4.0'];
const operator = FleetOperator.parse({
  ...{ apiVersion: FLEET_API, kind: 'FleetOperator', metadata: { name: 'kafka', namespace: 'platform' } },
  spec: { package: 'kafka-operator', namespace: 'kafka-system', catalog: { name: 'c', namespace: 'olm' } },
});
/** A plan that refers to the manifests of its bundle. */
const reference = {
  ...{ kind: 'BundleImage', name: `registry.example/kafka@sha256:${hash}` },
  ...{ catalogSourceName: 'c', catalogSourceNamespace: 'olm' },
};
const resource = { sourceName: 'c', sourceNamespace: 'olm', group: '', version: 'v1', kind: 'ConfigMap', name: 'c' };
const plan = InstallPlan.parse({
  ...{ apiVersion: 'operators.coreos.com/v1alpha1', kind: 'InstallPlan', metadata: { name: 'p', namespace: 'n' } },
  spec: { approval: 'Manual', approved: false, clusterServiceVersionNames: [TO] },
  status: {
    ...{ phase: 'RequiresApproval', catalogSources: ['c'] },
    plan: [{ resolving: TO, status: 'Unknown', resource: { ...resource, manifest: JSON.stringify(reference) } }],
  },
});
const hop = { plan, moves: [], from: FROM, to: TO };
const planned = { subscription: 'kafka', specHash: undefined, hops: [hop] as const };
const row = AssignmentRow.parse({
  ...{ subject: 'FleetOperator/platform/kafka', rollout: 'platform/kafka-1', order: 'Preview' },
  target: { bundle: TO },
});
const finding: RowFinding = { state: 'Planned', planned: TO, planHash: hash, hops: [hash], changes: ['Minor'] };

it('asks for another pass while the content of a plan is being fetched, also where its changes are known', async () => {
  const { client, stop } = directCluster('lab-1');
  let waits = 0;
  const memo = new OrderMemo();
  const place = orderPlace({
    ...{ hub: client, client, memo },
    fetchObjects: async () => ({ waits: 'the bundle is being fetched' }),
    noteWait: () => waits++,
  });
  expect(await withContentChanges(place, operator, finding, planned)).toMatchObject({ state: 'Planning' });
  expect(waits).toBe(1);
  memo.contentChanges.set(hash, []);
  expect(await withDifferences(place, row, operator, finding, planned)).toEqual(finding);
  expect(waits).toBe(2);
  await stop();
});
