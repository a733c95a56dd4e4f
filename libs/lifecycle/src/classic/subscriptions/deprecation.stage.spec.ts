import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { PackageRecord } from '#core/catalog/model/package-record';
import { sampleEntry, samplePackage } from '#core/classic/resolution/sample-problem.fixture';
import { ClassicCluster } from '../classic-cluster.fixture.js';
import { deprecationStage } from './deprecation.stage.js';
import { ResolutionBench, shelf, subscribe, subscription } from './subscriptions.fixture.js';

let at: ClassicCluster;
let bench: ResolutionBench;
beforeEach(async () => {
  at = await ClassicCluster.start();
  at.namespace('shop');
  shelf(at);
  bench = new ResolutionBench();
});
afterEach(() => at.stop());

const record = (parts: Partial<PackageRecord> = {}, deprecation?: string): PackageRecord => ({
  ...samplePackage('lamp', sampleEntry('lamp', '1.0.0', [], deprecation === undefined ? {} : { deprecation })),
  ...parts,
});
const INSTALLED = { status: { currentCSV: 'lamp.v1.0.0', installedCSV: 'lamp.v1.0.0', state: 'AtLatestKnown' } };
const pass = () => at.pass('shop', [deprecationStage(bench.observed)]);
const said = () => at.conditions(subscription());

describe('subscriptions.md §4: deprecation', () => {
  it.each([
    {
      what: 'the package',
      of: record({ deprecation: 'use lantern' }),
      says: [
        'PackageDeprecated=True : olm.package/lamp: use lantern',
        'Deprecated=True : olm.package/lamp: use lantern',
      ],
    },
    {
      what: 'the channel',
      of: record({ channelDeprecations: { stable: 'use beta', beta: 'not this one' } }),
      says: ['ChannelDeprecated=True : olm.channel/stable: use beta', 'Deprecated=True : olm.channel/stable: use beta'],
    },
    {
      what: 'the bundle',
      of: record({}, 'has a hole'),
      says: [
        'BundleDeprecated=True : olm.bundle/lamp.v1.0.0: has a hole',
        'Deprecated=True : olm.bundle/lamp.v1.0.0: has a hole',
      ],
    },
    { what: 'nothing', of: record(), says: [] },
  ])('$what', async ({ of, says }) => {
    subscribe(at, 'lamp', INSTALLED);
    await bench.observe(at, [of]);
    expect(await pass()).toMatchObject({ result: 'done' });
    expect(said()).toEqual(says);
    at.writes();
    await pass();
    expect(at.writes()).toEqual([]);
  });

  it('two at once: the roll-up has both', async () => {
    subscribe(at, 'lamp', INSTALLED);
    await bench.observe(at, [record({ deprecation: 'use lantern' }, 'has a hole')]);
    await pass();
    expect(said().at(-1)).toBe('Deprecated=True : olm.package/lamp: use lantern; olm.bundle/lamp.v1.0.0: has a hole');
  });

  it('what is no longer deprecated loses its conditions', async () => {
    subscribe(at, 'lamp', INSTALLED);
    await bench.observe(at, [record({ deprecation: 'use lantern' })]);
    await pass();
    await bench.observe(at, [record()]);
    await pass();
    expect(said()).toEqual([]);
  });

  it.each([
    [
      'the catalog does not list the installed bundle',
      async () => void (await bench.observe(at, [samplePackage('lamp', sampleEntry('lamp', '2.0.0'))])),
    ],
    ['the catalog has lost the package', async () => void (await bench.observe(at, []))],
    [
      'the store has lost the problem',
      async () => void Object.assign(bench.store, { getObservation: async () => undefined }),
    ],
  ])('stays as it was while %s', async (_, lose) => {
    subscribe(at, 'lamp', INSTALLED);
    await bench.observe(at, [record({ deprecation: 'use lantern' })]);
    await pass();
    const before = said();
    await lose();
    await pass();
    expect([said(), before.length]).toEqual([before, 2]);
  });

  it('nothing is said before something is installed, and the store is not asked', async () => {
    subscribe(at);
    bench.store.getObservation = () => Promise.reject(new Error('asked'));
    expect(await pass()).toEqual({ rounds: 1, result: 'done' });
    expect(said()).toEqual([]);
  });

  it('a package of that name in another catalog says nothing', async () => {
    subscribe(at, 'lamp', INSTALLED);
    subscribe(at, 'other', { ...INSTALLED, spec: { name: 'lamp', source: 'other' } });
    await bench.observe(at, [record({ deprecation: 'use lantern' })]);
    await pass();
    expect(said()).toHaveLength(2);
    expect(at.conditions(subscription('other'))).toEqual([]);
  });
});
