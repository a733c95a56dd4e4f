import { expect, it } from 'vitest';
import { indexCatalog } from '#core/classic/resolution/problem/catalog-slice';
import { CATALOG_SOURCE_API, type CatalogSource } from '#core/kernel/api/catalog-source';
import { FleetCatalog } from '#core/kernel/api/fleet/fleet-catalog';
import { FleetOperator } from '#core/kernel/api/fleet/fleet-operator';
import { OPERATOR_GROUP_API } from '#core/kernel/api/operator-group';
import { SUBSCRIPTION_API } from '#core/kernel/api/subscription';
import { type DesiredClassic, desiredClassic, previewPlace } from '#core/rollout/desired/desired-classic';
import { MemoryJobQueue } from '#platform/queue/memory-job-queue';
import { applyContract, resolveContract } from '#platform/queue/queues';
import { MemoryProblemStore } from '#platform/store/memory-problem-store';
import { NAMESPACE_RULES } from '../../engine/publishing/problem-families.js';
import { publishPreviews } from './publish-previews.js';

const SPEC = { name: 'kafka', source: 'curated', sourceNamespace: 'olm', channel: 'stable' };
const operatorWith = (classic: object, more: object = {}) =>
  FleetOperator.parse({
    apiVersion: 'fleet.flotilla.dev/v1alpha1',
    kind: 'FleetOperator',
    metadata: { name: 'kafka', namespace: 'platform' },
    spec: { package: 'kafka', namespace: 'apps', catalog: { name: 'curated' }, classic, ...more },
  });

const SNAPSHOT = { namespace: 'apps', globalCatalogNamespace: 'olm', csvs: [] };
const entry = (version: string) => ({
  ...{ name: `kafka.v${version}`, channel: 'stable', version, replaces: '', skips: [], skipRange: '' },
  ...{ properties: [], source: { image: `example.com/kafka:${version}` } },
});

function opened() {
  const store = new MemoryProblemStore();
  const [resolve, apply] = [new MemoryJobQueue(resolveContract), new MemoryJobQueue(applyContract)];
  return { store, deps: { rules: NAMESPACE_RULES, store, seen: store, resolve, apply, solveDeadlineMs: 1_000 } };
}

function desiredFor(operator: FleetOperator): DesiredClassic {
  const desired = desiredClassic(operator, { globalCatalogNamespace: 'olm' });
  if (typeof desired === 'string') throw new Error(desired);
  return desired;
}

async function wishesIn(store: MemoryProblemStore) {
  const observed = await store.getObservation('east', previewPlace('apps', 'kafka'));
  return observed && (await store.getProblem(observed.problem))?.wishes.subscriptions;
}

it.each([
  ['another channel', { channel: 'beta' }, 'beta'],
  ['the same channel', { channel: 'stable' }, undefined],
  ['no channel of its own', {}, undefined],
  ['another configuration alone', { config: { env: [] } }, undefined],
])('a namespace is observed anew for %s', async (_what, classic, channel) => {
  const { store, deps } = opened();
  const desired = desiredFor(operatorWith(classic));
  const snapshot = {
    ...SNAPSHOT,
    catalogs: [],
    subscriptions: [{ ...SUBSCRIPTION_API, metadata: { name: 'kafka', namespace: 'apps' }, spec: SPEC }],
    operatorGroups: [{ ...OPERATOR_GROUP_API, metadata: { name: 'fleet', namespace: 'apps' } }],
  };
  await publishPreviews(deps, 'east', snapshot, [{ desired, content: undefined }]);
  expect((await wishesIn(store))?.map((one) => one.channel)).toEqual(channel && [channel]);
});

it.each([
  ['gets isolation', {}, 1],
  ['has it already', { 'flotilla.dev/resolution-isolation': 'true' }, 0],
])('a namespace whose group is adopted and %s is observed anew only then', async (_what, annotations, problems) => {
  const { store, deps } = opened();
  const desired = desiredFor(operatorWith({ channel: 'stable', operatorGroup: { manage: 'Adopt' } }));
  const snapshot = {
    ...SNAPSHOT,
    catalogs: [],
    subscriptions: [{ ...SUBSCRIPTION_API, metadata: { name: 'kafka', namespace: 'apps' }, spec: SPEC }],
    operatorGroups: [{ ...OPERATOR_GROUP_API, metadata: { name: 'own', namespace: 'apps', annotations } }],
  };
  await publishPreviews(deps, 'east', snapshot, [{ desired, content: undefined }]);
  expect((await wishesIn(store)) ?? []).toHaveLength(problems);
});

it('a namespace in which a plan waits is observed without it, with all that follows on it', async () => {
  const { store, deps } = opened();
  const status = { installedCSV: 'kafka.v1', currentCSV: 'kafka.v2', state: 'UpgradePending' };
  const waiting = { ...status, installPlanRef: { name: 'install-1' } } as never;
  const snapshot = {
    ...SNAPSHOT,
    catalogs: [],
    subscriptions: [
      { ...SUBSCRIPTION_API, metadata: { name: 'mine', namespace: 'apps' }, spec: SPEC, status: waiting },
    ],
    operatorGroups: [{ ...OPERATOR_GROUP_API, metadata: { name: 'fleet', namespace: 'apps' } }],
  };
  await publishPreviews(deps, 'east', snapshot, [
    { desired: desiredFor(operatorWith({ channel: 'stable' })), content: undefined },
  ]);
  const observed = await store.getObservation('east', previewPlace('apps', 'kafka'));
  const problem = observed && (await store.getProblem(observed.problem));
  expect(problem?.path).toBe('mine');
  expect(problem?.wishes.subscriptions).toMatchObject([{ installedCSV: 'kafka.v1', currentCSV: 'kafka.v1' }]);
});

it('a plan that waits is followed in the content that the cluster has, though a Staged catalog has newer', async () => {
  const { store, deps } = opened();
  const digest = `sha256:${'b'.repeat(64)}`;
  const catalog = FleetCatalog.parse({
    ...{ apiVersion: 'fleet.flotilla.dev/v1alpha1', kind: 'FleetCatalog' },
    metadata: { name: 'curated', namespace: 'platform' },
    spec: {
      ...{ image: 'registry.test/curated:v2', catalogSource: { name: 'curated' } },
      ...{ promotion: 'Staged', strategyRef: { name: 'rings' } },
    },
  });
  const operator = operatorWith({ channel: 'stable' }, { catalog: { fleetCatalog: 'curated' } });
  const desired = desiredClassic(operator, { globalCatalogNamespace: 'olm', catalog, digest });
  if (typeof desired === 'string') throw new Error(desired);
  const loadedWith = (...versions: readonly string[]) => {
    const index = indexCatalog([{ name: 'kafka', defaultChannel: 'stable', entries: versions.map(entry) }]);
    return { digest: `sha256:${versions.length}`, content: 'sha256:1', index, packages: 1 };
  };
  const source = {
    ...CATALOG_SOURCE_API,
    metadata: { name: 'curated', namespace: 'olm' },
    spec: { sourceType: 'grpc', image: 'registry.test/curated@sha256:old' },
  } as CatalogSource;
  const before = { failure: undefined, settled: true };
  const status = { installedCSV: 'kafka.v1.0.0', currentCSV: 'kafka.v2.0.0', state: 'UpgradePending' };
  const waiting = { ...status, installPlanRef: { name: 'install-1' } } as never;
  const snapshot = {
    ...SNAPSHOT,
    catalogs: [{ source, loaded: loadedWith('1.0.0', '2.0.0'), ...before }],
    subscriptions: [
      { ...SUBSCRIPTION_API, metadata: { name: 'kafka', namespace: 'apps' }, spec: SPEC, status: waiting },
    ],
    operatorGroups: [{ ...OPERATOR_GROUP_API, metadata: { name: 'fleet', namespace: 'apps' } }],
  };
  const newer = { source, loaded: loadedWith('1.0.0', '2.0.0', '3.0.0'), ...before } as never;
  await publishPreviews(deps, 'east', snapshot, [{ desired, content: newer }]);
  const observed = await store.getObservation('east', previewPlace('apps', 'kafka'));
  const problem = observed && (await store.getProblem(observed.problem));
  const [record = ''] = problem?.catalogs.flatMap(({ packages }) => packages.map((one) => one.record)) ?? [];
  expect((await store.getRecord(record))?.entries.map(({ version }) => version)).toEqual(['1.0.0', '2.0.0']);
});

it('a namespace without the operator is observed with the version that it is to begin with', async () => {
  const { store, deps } = opened();
  const desired = desiredFor(operatorWith({ channel: 'stable' }, { versions: { deny: ['2.0.0'] } }));
  const index = indexCatalog([{ name: 'kafka', defaultChannel: 'stable', entries: ['1.0.0', '2.0.0'].map(entry) }]);
  const source = {
    ...CATALOG_SOURCE_API,
    metadata: { name: 'curated', namespace: 'olm' },
    spec: { sourceType: 'grpc' },
  } as CatalogSource;
  const loaded = { digest: 'sha256:1', content: 'sha256:1', index, packages: 1 };
  const snapshot = {
    ...SNAPSHOT,
    catalogs: [{ source, failure: undefined, loaded, settled: true }],
    subscriptions: [],
    operatorGroups: [],
  };
  await publishPreviews(deps, 'east', snapshot, [{ desired, content: undefined }]);
  expect((await wishesIn(store))?.map((one) => one.startingCSV)).toEqual(['kafka.v1.0.0']);
});
