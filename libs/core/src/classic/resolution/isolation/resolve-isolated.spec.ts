import { describe, expect, it } from 'vitest';
import type { PackageRecord } from '../../../catalog/model/package-record.js';
import type { DesiredNamespace, InstalledCsv, Resolution } from '../problem/resolution-problem.js';
import {
  needsApi,
  needsPackage,
  providesApi,
  sampleCatalog,
  sampleEntry,
  sampleNamespace,
  samplePackage,
  sampleResolution,
  sampleSubscription,
} from '../sample-problem.fixture.js';
import { nextPart } from './resolution-parts.js';

const isolating = [{ name: 'group', upgradeStrategy: '', excludeGlobal: false, isolate: true as const }];
const answer = (desiredNamespace: Partial<DesiredNamespace>, ...records: PackageRecord[]): Resolution =>
  sampleResolution(sampleNamespace({ operatorGroups: isolating, ...desiredNamespace }), [
    sampleCatalog('shelf', ...records),
  ]).resolution;
const outcome = (resolution: Resolution) =>
  resolution.result === 'resolved'
    ? {
        chosen: resolution.chosen.map(({ name }) => name),
        leftOut: resolution.unresolved?.map(({ kind, name }) => `${kind} ${name}`),
      }
    : resolution.message;
const desired = (...names: string[]) => names.map((name) => sampleSubscription(name));
const running = (name: string, version: string) =>
  sampleSubscription(name, { installedCSV: `${name}.v${version}`, currentCSV: `${name}.v${version}` });
const csvOf = (entry: ReturnType<typeof sampleEntry>): InstalledCsv => ({
  name: entry.name,
  version: entry.version,
  replaces: '',
  phase: '',
  propertiesAnnotation: JSON.stringify({ properties: entry.properties }),
  ownedApis: [],
  requiredApis: [],
});

const harbor = samplePackage('harbor', sampleEntry('harbor', '1.0.0', [providesApi('Light')]));
const beacon = samplePackage('beacon', sampleEntry('beacon', '1.0.0', [providesApi('Light')]));
const mill = samplePackage('mill', sampleEntry('mill', '1.0.0', [needsApi('Wind')]));
const inn = samplePackage('inn', sampleEntry('inn', '1.0.0'));
const broken = samplePackage('broken', sampleEntry('broken', '1.0.0', [needsPackage('inn', '^1')]));

describe('a namespace whose OperatorGroup asks for isolation', () => {
  it.each([
    { because: 'nothing is wrong', names: ['harbor', 'inn'], chosen: ['harbor.v1.0.0', 'inn.v1.0.0'], leftOut: [] },
    {
      because: 'one wish cannot be met',
      names: ['inn', 'mill'],
      chosen: ['inn.v1.0.0'],
      leftOut: ['subscription mill'],
    },
    {
      because: 'one wish names nothing',
      names: ['inn', 'nowhere'],
      chosen: ['inn.v1.0.0'],
      leftOut: ['subscription nowhere'],
    },
    {
      because: 'one wish leads to a bundle that cannot be understood',
      names: ['broken', 'inn'],
      chosen: ['inn.v1.0.0'],
      leftOut: ['subscription broken'],
    },
    {
      because: 'two newcomers exclude each other: the first by name comes in',
      names: ['beacon', 'harbor'],
      chosen: ['beacon.v1.0.0'],
      leftOut: ['subscription harbor'],
    },
    {
      because: 'no wish can be met',
      names: ['mill', 'nowhere'],
      chosen: [],
      leftOut: ['subscription mill', 'subscription nowhere'],
    },
  ])('leaves out what cannot be met and installs the rest: $because', ({ names, chosen, leftOut }) => {
    expect(outcome(answer({ subscriptions: desired(...names) }, harbor, beacon, mill, inn, broken))).toEqual({
      chosen,
      leftOut,
    });
  });

  it('is not the default: one Subscription that cannot be met stops all, as in OLM', () => {
    const subscriptions = desired('inn', 'mill');
    const plain = sampleNamespace({ subscriptions });
    expect(sampleResolution(plain, [sampleCatalog('shelf', inn, mill)]).resolution.result).toBe('unsatisfiable');
  });

  it('lets a newcomer wait rather than what is installed, whatever their names', () => {
    const old = csvOf(sampleEntry('harbor', '1.0.0', [providesApi('Light')]));
    const subscriptions = [sampleSubscription('beacon'), running('harbor', '1.0.0')];
    expect(outcome(answer({ subscriptions, csvs: [old] }, harbor, beacon))).toEqual({
      chosen: [],
      leftOut: ['subscription beacon'],
    });
  });

  it('goes on beside an installed CSV whose requirement nothing meets any more, and protects it', () => {
    const old = csvOf(sampleEntry('harbor', '1.0.0', [providesApi('Light'), needsApi('Wind')]));
    const subscriptions = [sampleSubscription('beacon'), running('harbor', '1.0.0'), sampleSubscription('inn')];
    const mustGo = samplePackage('harbor', sampleEntry('harbor', '1.0.0', [providesApi('Light'), needsApi('Wind')]));
    expect(outcome(answer({ subscriptions, csvs: [old] }, mustGo, beacon, inn))).toEqual({
      chosen: ['inn.v1.0.0'],
      leftOut: ['installed harbor.v1.0.0', 'subscription beacon', 'subscription harbor'],
    });
  });

  it('gives each one left out its own reason, without its neighbours', () => {
    const resolution = answer({ subscriptions: desired('inn', 'mill', 'nowhere') }, inn, mill);
    const reported = resolution.result === 'resolved' ? resolution.unresolved : [];
    expect(reported?.map(({ name, message }) => `${name}: ${message}`)).toEqual([
      'mill: constraints not satisfiable: bundle mill.v1.0.0 requires an operator providing an API with group: sample.test, version: v1, kind: Wind, subscription mill exists, subscription mill requires shelf/olm/stable/mill.v1.0.0',
      'nowhere: constraints not satisfiable: no operators found in package nowhere in the catalog referenced by subscription nowhere, subscription nowhere exists',
    ]);
  });
});

describe('parts that are approved on their own', () => {
  const parts = (resolution: Resolution) => (resolution.result === 'resolved' ? resolution.parts : resolution.message);
  const crane = samplePackage('crane', sampleEntry('crane', '1.0.0', [needsApi('Light')]));

  it('holds together what needs each other, and apart what does not', () => {
    const resolution = answer({ subscriptions: desired('crane', 'inn') }, harbor, crane, inn);
    expect(parts(resolution)).toEqual([
      { bundles: ['crane.v1.0.0', 'harbor.v1.0.0'], subscriptions: ['crane'] },
      { bundles: ['inn.v1.0.0'], subscriptions: ['inn'] },
    ]);
    if (resolution.result !== 'resolved') return;
    const first = nextPart(resolution);
    expect(first?.subscriptions).toEqual(['crane']);
    expect(first?.resolution.chosen.map(({ name }) => name)).toEqual(['crane.v1.0.0', 'harbor.v1.0.0']);
    expect(first?.resolution.subscriptionsCreated.map(({ name }) => name)).toEqual(['harbor-stable-shelf-olm']);
    expect(first?.resolution.subscriptionsUpdated).toEqual([{ name: 'crane', currentCSV: 'crane.v1.0.0' }]);
  });

  it('passes over parts whose Subscriptions have their plan already', () => {
    const subscriptions = [sampleSubscription('crane', { currentCSV: 'crane.v1.0.0' }), sampleSubscription('inn')];
    const resolution = answer({ subscriptions }, harbor, crane, inn);
    const next = resolution.result === 'resolved' ? nextPart(resolution) : undefined;
    expect(next?.subscriptions).toEqual(['inn']);
  });

  it('upgrades together what depended on each other before', () => {
    const replacing = (name: string) => ({ replaces: `${name}.v1.0.0` });
    const newHarbor = sampleEntry('harbor', '2.0.0', [], replacing('harbor'));
    const newCrane = sampleEntry('crane', '2.0.0', [], replacing('crane'));
    const olds = [
      sampleEntry('harbor', '1.0.0', [providesApi('Light')]),
      sampleEntry('crane', '1.0.0', [needsApi('Light')]),
    ];
    const resolution = answer(
      { subscriptions: [running('crane', '1.0.0'), running('harbor', '1.0.0')], csvs: olds.map(csvOf) },
      samplePackage('harbor', sampleEntry('harbor', '1.0.0', [providesApi('Light')]), newHarbor),
      samplePackage('crane', sampleEntry('crane', '1.0.0', [needsApi('Light')]), newCrane),
    );
    expect(parts(resolution)).toEqual([
      { bundles: ['crane.v2.0.0', 'harbor.v2.0.0'], subscriptions: ['crane', 'harbor'] },
    ]);
  });
});
