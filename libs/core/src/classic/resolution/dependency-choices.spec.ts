import { describe, expect, it } from 'vitest';
import type { PackageRecord } from '../../catalog/model/package-record.js';
import type { DesiredNamespace, InstalledCsv } from './problem/resolution-problem.js';
import {
  needsApi,
  providesApi,
  sampleCatalog,
  sampleEntry,
  sampleNamespace,
  samplePackage,
  sampleResolution,
  sampleSubscription,
} from './sample-problem.fixture.js';

type Catalogs = Readonly<Record<string, readonly PackageRecord[]>>;

/** What is installed, as `CSV channel catalog`. */
function chosen(desired: Partial<DesiredNamespace>, catalogs: Catalogs) {
  const indexed = Object.entries(catalogs).map(([name, records]) => sampleCatalog(name, ...records));
  const { resolution } = sampleResolution(sampleNamespace(desired), indexed);
  if (resolution.result !== 'resolved') return resolution.result;
  return resolution.chosen.map(({ name, channel, catalog }) => `${name} ${channel} ${catalog}`).sort();
}

const app = samplePackage('app', sampleEntry('app', '1.0.0', [needsApi('Light')]));
const lamp = (version: string, light = true) =>
  sampleEntry('lamp', version, light ? [providesApi('Light')] : [], { channel: 'stable' });
const subscriptions = [sampleSubscription('app')];

describe('the provider of a required API (spec: classic-resolution.md)', () => {
  it('is the head of its channel, though an entry in the middle does not provide it', () => {
    const lamps = samplePackage(
      'lamp',
      lamp('1.0.0'),
      { ...lamp('2.0.0', false), replaces: 'lamp.v1.0.0' },
      { ...lamp('3.0.0'), replaces: 'lamp.v2.0.0' },
    );
    expect(chosen({ subscriptions }, { shelf: [app, lamps] })).toEqual([
      'app.v1.0.0 stable shelf',
      'lamp.v3.0.0 stable shelf',
    ]);
  });

  it('comes from the first catalog by name, where several have the same priority', () => {
    const lamps = [samplePackage('lamp', lamp('1.0.0'))];
    const answer = ['app.v1.0.0 stable shelf', 'lamp.v1.0.0 stable crate-a'];
    const crates = { 'crate-c': lamps, 'crate-a': lamps, 'crate-b': lamps };
    expect(chosen({ subscriptions }, { shelf: [app], ...crates })).toEqual(answer);
    expect(chosen({ subscriptions }, { ...crates, shelf: [app] })).toEqual(answer);
  });

  it('is no other version of the package that requires it, and no second version of a package that is chosen', () => {
    const self = samplePackage(
      'app',
      sampleEntry('app', '1.0.0', [needsApi('Light'), needsApi('Heat')]),
      sampleEntry('app', '1.1.0', [providesApi('Light'), providesApi('Heat')], { channel: 'alpha' }),
    );
    const lamps = samplePackage('lamp', lamp('1.0.0'), { ...lamp('1.1.0'), channel: 'alpha' });
    const others = [
      samplePackage('lamp', sampleEntry('lamp', '9.0.0', [providesApi('Heat')])),
      samplePackage('oven', sampleEntry('oven', '1.0.0', [providesApi('Heat')])),
    ];
    expect(chosen({ subscriptions }, { shelf: [self, lamps], store: others })).toEqual([
      'app.v1.0.0 stable shelf',
      'lamp.v1.0.0 stable shelf',
      'oven.v1.0.0 stable store',
    ]);
  });
});

describe('a Subscription and CSVs that are there', () => {
  const csv = (name: string, apis: readonly string[] = []): InstalledCsv => ({
    ...{ name, version: '1.0.0', replaces: '', phase: 'Succeeded', requiredApis: [] },
    propertiesAnnotation: JSON.stringify({ properties: apis.map(providesApi) }),
    ownedApis: [],
  });

  it('that names another package gets the version of it that replaces what is installed', () => {
    const stork = samplePackage(
      'stork',
      sampleEntry('stork', '1.0.0', [providesApi('Nest')], { replaces: 'heron.v1.0.0' }),
    );
    const heron = samplePackage('heron', sampleEntry('heron', '1.0.0', [providesApi('Nest')]));
    const installed = { installedCSV: 'heron.v1.0.0', currentCSV: 'heron.v1.0.0' };
    const moved = [sampleSubscription('stork', { name: 'heron', ...installed })];
    const csvs = [csv('heron.v1.0.0', ['Nest'])];
    expect(chosen({ subscriptions: moved, csvs }, { shelf: [heron, stork] })).toEqual(['stork.v1.0.0 stable shelf']);
    const apart = samplePackage('stork', sampleEntry('stork', '1.0.0', [providesApi('Nest')]));
    expect(chosen({ subscriptions: moved, csvs }, { shelf: [heron, apart] })).toEqual([]);
  });

  it('that no Subscription holds: the head of the channel is installed beside one without APIs', () => {
    const heron = samplePackage(
      'heron',
      sampleEntry('heron', '1.0.0'),
      sampleEntry('heron', '2.0.0', [], { replaces: 'heron.v1.0.0' }),
    );
    const csvs = [csv('heron.v1.0.0')];
    expect(chosen({ subscriptions: [sampleSubscription('heron')], csvs }, { shelf: [heron] })).toEqual([
      'heron.v2.0.0 stable shelf',
    ]);
  });
});
