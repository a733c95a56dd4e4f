import { expect, it } from 'vitest';
import { desiredClassic, previewPlace } from '#core/fleet/desired/desired-classic';
import { FleetOperator } from '#core/kernel/api/fleet/fleet-operator';
import { OPERATOR_GROUP_API } from '#core/kernel/api/operator-group';
import { SUBSCRIPTION_API } from '#core/kernel/api/subscription';
import { MemoryJobQueue } from '#platform/queue/memory-job-queue';
import { applyContract, resolveContract } from '#platform/queue/queues';
import { MemoryProblemStore } from '#platform/store/memory-problem-store';
import { NAMESPACE_RULES } from '../../engine/problem-families.js';
import { publishPreviews } from './publish-previews.js';

const SPEC = { name: 'kafka', source: 'curated', sourceNamespace: 'olm', channel: 'stable' };
const operatorWith = (classic: object) =>
  FleetOperator.parse({
    apiVersion: 'fleet.flotilla.dev/v1alpha1',
    kind: 'FleetOperator',
    metadata: { name: 'kafka', namespace: 'platform' },
    spec: { package: 'kafka', namespace: 'apps', catalog: { name: 'curated' }, classic },
  });

it.each([
  ['another channel', { channel: 'beta' }, 'beta'],
  ['the same channel', { channel: 'stable' }, undefined],
  ['no channel of its own', {}, undefined],
  ['another configuration alone', { config: { env: [] } }, undefined],
])('a namespace is observed anew for %s', async (_what, classic, channel) => {
  const store = new MemoryProblemStore();
  const [resolve, apply] = [new MemoryJobQueue(resolveContract), new MemoryJobQueue(applyContract)];
  const deps = { rules: NAMESPACE_RULES, store, seen: store, resolve, apply, solveDeadlineMs: 1_000 };
  const desired = desiredClassic(operatorWith(classic), { globalCatalogNamespace: 'olm' });
  if (typeof desired === 'string') throw new Error(desired);
  const snapshot = {
    ...{ namespace: 'apps', globalCatalogNamespace: 'olm', csvs: [], catalogs: [] },
    subscriptions: [{ ...SUBSCRIPTION_API, metadata: { name: 'kafka', namespace: 'apps' }, spec: SPEC }],
    operatorGroups: [{ ...OPERATOR_GROUP_API, metadata: { name: 'fleet', namespace: 'apps' } }],
  };
  await publishPreviews(deps, 'east', snapshot, [{ desired, content: undefined }]);
  const observed = await store.getObservation('east', previewPlace('apps', 'kafka'));
  const problem = observed && (await store.getProblem(observed.problem));
  expect(problem?.wishes.subscriptions.map((one) => one.channel)).toEqual(channel && [channel]);
});
