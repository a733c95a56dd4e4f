import { describe, expect, it } from 'vitest';
import { indexCatalog } from '#core/classic/resolution/problem/catalog-slice';
import { CATALOG_SOURCE_API, type CatalogSource } from '#core/kernel/api/catalog-source';
import { FleetOperator } from '#core/kernel/api/fleet/fleet-operator';
import { OPERATOR_GROUP_API } from '#core/kernel/api/operator-group';
import { SUBSCRIPTION_API, type SubscriptionStatus } from '#core/kernel/api/subscription';
import { desiredClassic } from '#core/rollout/desired/desired-classic';
import { MemoryContentStore } from '#platform/content/memory-content-store';
import { MemoryJobQueue } from '#platform/queue/memory-job-queue';
import { applyContract, memoryQueues, resolveContract } from '#platform/queue/queues';
import { BundlePulls } from '#platform/registry/bundle-pulls';
import { MemoryProblemStore } from '#platform/store/memory-problem-store';
import { silentLog } from '#platform/telemetry/log.port';
import { BundleRegistry } from '../../classic/install-plans/install-plans.fixture.js';
import { NAMESPACE_RULES } from '../../engine/publishing/problem-families.js';
import { ClassicPreviews } from './classic-previews.js';
import { publishPreviews } from './publish-previews.js';

const SPEC = { name: 'kafka', source: 'curated', sourceNamespace: 'olm', channel: 'stable' };
const WAITING = { state: 'UpgradePending', currentCSV: 'kafka.v2.0.0', installPlanRef: { name: 'install-1' } };
const entry = (version: string) => ({
  ...{ name: `kafka.v${version}`, channel: 'stable', version, replaces: '', skips: [], skipRange: '' },
  ...{ properties: [], source: { image: `example.com/kafka:${version}` } },
});

class StoreOfLostPackages extends MemoryProblemStore {
  override getRecord(): Promise<undefined> {
    return Promise.resolve(undefined);
  }
}

/** What is known once the namespace was observed with this status of its Subscription. */
async function observed(status: object, store = new MemoryProblemStore()) {
  const [resolve, apply] = [new MemoryJobQueue(resolveContract), new MemoryJobQueue(applyContract)];
  const deps = { rules: NAMESPACE_RULES, store, seen: store, resolve, apply, solveDeadlineMs: 1_000 };
  const operator = FleetOperator.parse({
    apiVersion: 'fleet.flotilla.dev/v1alpha1',
    kind: 'FleetOperator',
    metadata: { name: 'kafka', namespace: 'platform' },
    spec: { package: 'kafka', namespace: 'apps', catalog: { name: 'curated' }, classic: { channel: 'stable' } },
  });
  const desired = desiredClassic(operator, { globalCatalogNamespace: 'olm' });
  if (typeof desired === 'string') throw new Error(desired);
  const index = indexCatalog([{ name: 'kafka', defaultChannel: 'stable', entries: ['1.0.0', '2.0.0'].map(entry) }]);
  const metadata = { name: 'curated', namespace: 'olm' };
  const source = { ...CATALOG_SOURCE_API, metadata, spec: { sourceType: 'grpc' } } as CatalogSource;
  const loaded = { digest: 'sha256:1', content: 'sha256:1', index, packages: 1 };
  const subscription = {
    ...{ ...SUBSCRIPTION_API, metadata: { name: 'kafka', namespace: 'apps' }, spec: SPEC },
    status: status as SubscriptionStatus,
  };
  const snapshot = {
    ...{ namespace: 'apps', globalCatalogNamespace: 'olm', csvs: [], subscriptions: [subscription] },
    catalogs: [{ source, failure: undefined, loaded, settled: true }],
    operatorGroups: [{ ...OPERATOR_GROUP_API, metadata: { name: 'fleet', namespace: 'apps' } }],
  };
  await publishPreviews(deps, 'east', snapshot, [{ desired, content: undefined }]);
  return store;
}

function deprecations(problems: MemoryProblemStore) {
  const previews = new ClassicPreviews({
    ...{ problems, queues: memoryQueues(), content: new MemoryContentStore(), log: silentLog },
    bundlePulls: BundlePulls.withoutTurns(new BundleRegistry()),
    settings: { bundleUnpackTimeout: 0 },
    refused: { note: () => undefined } as never,
  });
  return previews.askDeprecations({ cluster: 'east', namespace: 'apps' }, SPEC, 'kafka.v2.0.0');
}

describe('of a namespace of the fleet in which all plans wait', () => {
  it('it is known what its catalogs deprecate after Redis was emptied', async () => {
    expect(await deprecations(await observed(WAITING))).toEqual([]);
  });

  it('it is published again where its packages are gone', async () => {
    const store = new StoreOfLostPackages();
    await observed(WAITING, store);
    const before = await store.getObservation('east', 'apps');
    await observed({ ...WAITING, currentCSV: 'kafka.v1.0.0' }, store);
    expect(await store.getObservation('east', 'apps')).not.toEqual(before);
  });

  it('nothing is published while it is known', async () => {
    const store = await observed(WAITING);
    const before = await store.getObservation('east', 'apps');
    await observed({ ...WAITING, currentCSV: 'kafka.v1.0.0' }, store);
    expect(await store.getObservation('east', 'apps')).toEqual(before);
  });

  it('nothing is published of one that is to be resolved', async () => {
    const store = await observed({ state: 'AtLatestKnown' });
    expect(await store.getObservation('east', 'apps')).toBeUndefined();
  });
});
