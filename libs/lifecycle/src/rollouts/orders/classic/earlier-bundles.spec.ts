import { beforeEach, describe, expect, it } from 'vitest';
import type { PackageRecord } from '#core/catalog/model/package-record';
import { recordHash } from '#core/catalog/model/package-record';
import { problemHash } from '#core/classic/resolution/problem/problem-hash';
import type { ResolutionProblem } from '#core/classic/resolution/problem/resolution-problem';
import { SUBSCRIPTION_API, type Subscription } from '#core/kernel/api/subscription';
import { MemoryContentStore } from '#platform/content/memory-content-store';
import { memoryQueues } from '#platform/queue/queues';
import { BundlePulls } from '#platform/registry/bundle-pulls';
import { MemoryProblemStore } from '#platform/store/memory-problem-store';
import { silentLog } from '#platform/telemetry/log.port';
import { BundleRegistry } from '../../../classic/install-plans/install-plans.fixture.js';
import { EarlierBundles } from './earlier-bundles.js';

const entry = (name: string, channel: string): PackageRecord['entries'][number] => ({
  ...{ name, channel, version: '1.0.0', replaces: '', skips: [], skipRange: '', properties: [] },
  source: { image: 'registry.example/lamp:1' },
});
const RECORD: PackageRecord = { name: 'lamp', defaultChannel: 'stable', entries: [entry('lamp.v1', 'stable')] };
const subscription = (spec: Partial<Subscription['spec']> = {}): Subscription => ({
  ...SUBSCRIPTION_API,
  metadata: { name: 'lamp', namespace: 'shop' },
  spec: { name: 'lamp', source: 'shelf', sourceNamespace: 'olm', ...spec },
});

describe('whether the earlier bundle could come again', () => {
  let problems: MemoryProblemStore;
  let earlier: EarlierBundles;
  beforeEach(() => {
    problems = new MemoryProblemStore();
    const queues = memoryQueues();
    earlier = new EarlierBundles({
      ...{ problems, queues, content: new MemoryContentStore(), log: silentLog },
      bundlePulls: BundlePulls.withoutTurns(new BundleRegistry()),
      settings: { bundleUnpackTimeout: 0 },
    });
  });

  async function observe(catalog: Partial<ResolutionProblem['catalogs'][number]> = {}): Promise<void> {
    const packages = [{ name: 'lamp', record: recordHash(RECORD) }];
    const slice = { key: { name: 'shelf', namespace: 'olm' }, priority: 0, empty: false, packages, ...catalog };
    const wishes = { namespace: 'shop', subscriptions: [], operatorGroups: [] };
    const problem = { v: 1, wishes, catalogs: [slice] } as unknown as ResolutionProblem;
    await problems.putProblem(problem, new Map([[recordHash(RECORD), RECORD]]));
    await problems.putObservation('east', 'shop', { problem: problemHash(problem) });
  }
  const answer = (bundle = 'lamp.v1', spec: Partial<Subscription['spec']> = {}) =>
    earlier.notOffered('east', subscription(spec), bundle);

  it('waits until the catalogs of the namespace were read', async () => {
    expect(await answer()).toEqual({ waits: 'CatalogSource olm/shelf was not read yet' });
  });

  it.each<readonly [string, string, Partial<Subscription['spec']>, object | undefined]>([
    ['in its channel', 'lamp.v1', { channel: 'stable' }, undefined],
    ['in any channel', 'lamp.v1', {}, undefined],
    ['not in its channel', 'lamp.v1', { channel: 'fast' }, gone('lamp.v1', ' in channel fast')],
    ['not at all', 'lamp.v0', {}, gone('lamp.v0')],
    ['not by its catalog', 'lamp.v1', { source: 'attic' }, gone('lamp.v1', '', 'attic')],
  ])('%s', async (_, bundle, spec, expected) => {
    await observe();
    expect(await answer(bundle, spec)).toEqual(expected);
  });

  it('says what is wrong with a catalog that cannot be read', async () => {
    await observe({ failure: 'it does not answer', packages: [] });
    expect(await answer()).toEqual({ gone: 'CatalogSource olm/shelf cannot be read: it does not answer' });
  });
});

function gone(bundle: string, where = '', catalog = 'shelf') {
  return { gone: `CatalogSource olm/${catalog} no longer offers ${bundle}${where}` };
}
