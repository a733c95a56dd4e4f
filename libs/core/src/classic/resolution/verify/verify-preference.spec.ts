import { describe, expect, it } from 'vitest';
import type { PackageRecord } from '../../../catalog/model/package-record.js';
import type { IndexedCatalog } from '../problem/catalog-slice.js';
import type { DesiredNamespace, InstalledCsv } from '../problem/resolution-problem.js';
import {
  needsApi,
  needsPackage,
  providesApi,
  sampleCatalog,
  sampleEntry,
  sampleNamespace,
  samplePackage,
  sampleSubscription,
} from '../sample-problem.fixture.js';
import { isolating, type Resolved, World } from './verified-world.fixture.js';

const chain = (name: string, ...more: Parameters<typeof sampleEntry>[2][]) =>
  more.map((properties, at) =>
    sampleEntry(name, `1.${at}.0`, properties, at === 0 ? {} : { replaces: `${name}.v1.${at - 1}.0` }),
  );
const web = samplePackage('web', ...chain('web', [], [], []));
const trusted = (...records: PackageRecord[]) => ({ ...sampleCatalog('trusted', ...records), priority: 100 });
const evil = (...records: PackageRecord[]) => ({ ...sampleCatalog('evil', ...records), priority: -100 });
const store = samplePackage('store', sampleEntry('store', '1.0.0', [providesApi('Store')]));
const csvOf = ({ name, version, properties }: ReturnType<typeof sampleEntry>): InstalledCsv => ({
  ...{ name, version, replaces: '', phase: '', ownedApis: [], requiredApis: [] },
  propertiesAnnotation: JSON.stringify({ properties }),
});

type Case = Readonly<{
  desired: Partial<DesiredNamespace>;
  shelf: readonly PackageRecord[];
  more?: readonly IndexedCatalog[];
  /** What the forged solution has instead, by taking the rest out of the catalogs. */
  without: readonly string[];
  honest: readonly string[];
  forged: readonly string[];
  refusal: string;
}>;
const place = (catalog: string) => `(channel stable of catalog olm/${catalog})`;

/** Answers of the same problem with some bundles kept from the resolver: allowed, and not preferred. */
const cases: Readonly<Record<string, Case>> = {
  'an older version of a channel': {
    desired: { subscriptions: [sampleSubscription('web')] },
    shelf: [web],
    without: ['web.v1.1.0', 'web.v1.2.0'],
    honest: ['shelf/web.v1.2.0'],
    forged: ['shelf/web.v1.0.0'],
    refusal: `OLM prefers web.v1.2.0 ${place('shelf')} to web.v1.0.0 ${place('shelf')}, and the rules of the problem allow it`,
  },
  'an older version in one of two Subscriptions': {
    desired: { subscriptions: [sampleSubscription('store'), sampleSubscription('web')] },
    shelf: [web, store],
    without: ['web.v1.2.0'],
    honest: ['shelf/store.v1.0.0', 'shelf/web.v1.2.0'],
    forged: ['shelf/store.v1.0.0', 'shelf/web.v1.1.0'],
    refusal: `OLM prefers web.v1.2.0 ${place('shelf')} to web.v1.1.0 ${place('shelf')}, and the rules of the problem allow it`,
  },
  'a provider of a catalog of lower priority': {
    desired: { subscriptions: [sampleSubscription('app')] },
    shelf: [samplePackage('app', sampleEntry('app', '1.0.0', [needsApi('Store')]))],
    more: [trusted(store), evil(samplePackage('depot', sampleEntry('depot', '9.0.0', [providesApi('Store')])))],
    without: ['store.v1.0.0'],
    honest: ['shelf/app.v1.0.0', 'trusted/store.v1.0.0'],
    forged: ['shelf/app.v1.0.0', 'evil/depot.v9.0.0'],
    refusal: `OLM prefers store.v1.0.0 ${place('trusted')} to depot.v9.0.0 ${place('evil')}, and the rules of the problem allow it`,
  },
  'an older version of a dependency': {
    desired: { subscriptions: [sampleSubscription('app')] },
    shelf: [web, samplePackage('app', sampleEntry('app', '1.0.0', [needsPackage('web', '>=1.0.0')]))],
    without: ['web.v1.2.0'],
    honest: ['shelf/app.v1.0.0', 'shelf/web.v1.2.0'],
    forged: ['shelf/app.v1.0.0', 'shelf/web.v1.1.0'],
    refusal: `OLM prefers web.v1.2.0 ${place('shelf')} to web.v1.1.0 ${place('shelf')}, and the rules of the problem allow it`,
  },
  'an older version, though the newer one needs a dependency': {
    desired: { subscriptions: [sampleSubscription('app')] },
    shelf: [samplePackage('app', ...chain('app', [], [needsApi('Store')])), store],
    without: ['app.v1.1.0'],
    honest: ['shelf/app.v1.1.0', 'shelf/store.v1.0.0'],
    forged: ['shelf/app.v1.0.0'],
    refusal: `OLM prefers app.v1.1.0 ${place('shelf')} to app.v1.0.0 ${place('shelf')}, and the rules of the problem allow it`,
  },
  'an upgrade that is left out next to another': {
    desired: {
      subscriptions: [
        sampleSubscription('store'),
        sampleSubscription('web', { installedCSV: 'web.v1.1.0', currentCSV: 'web.v1.1.0' }),
      ],
      csvs: [csvOf(sampleEntry('web', '1.1.0'))],
    },
    shelf: [web, store],
    without: ['web.v1.2.0'],
    honest: ['shelf/store.v1.0.0', 'shelf/web.v1.2.0'],
    forged: ['shelf/store.v1.0.0'],
    refusal: `web.v1.2.0 ${place('shelf')} is left out, and the rules of the problem allow it`,
  },
};

const names = ({ chosen }: Resolved) => chosen.map(({ catalog, name }) => `${catalog}/${name}`);

describe.each(Object.entries(cases))('a forged solution with %s', (_, { desired, shelf, more = [], ...expected }) => {
  const world = new World(sampleNamespace(desired), shelf, more);
  const honest = world.answer() as Resolved;
  const forged = world.answerWithout(expected.without) as Resolved;

  it('is refused, and what OLM has instead is named', () => {
    expect(names(honest)).toEqual(expect.arrayContaining([...expected.honest]));
    expect(names(forged).toSorted()).toEqual(expected.forged.toSorted());
    expect(world.refusal(honest)).toBeUndefined();
    expect(world.refusal(forged)).toBe(expected.refusal);
  });
});

describe('with isolation, in a namespace where one Subscription cannot be satisfied', () => {
  const mill = samplePackage('mill', sampleEntry('mill', '1.0.0', [needsApi('Wind')]));
  const of = (...subscriptions: string[]) =>
    new World(
      sampleNamespace({
        operatorGroups: isolating,
        subscriptions: subscriptions.map((name) => sampleSubscription(name)),
      }),
      [mill, web],
    );

  it('an older version for another one is refused', () => {
    const world = of('mill', 'web');
    const forged = world.answerWithout(['web.v1.2.0']) as Resolved;
    expect(names(forged)).toEqual(['shelf/web.v1.1.0']);
    expect(world.refusal(world.answer() as Resolved)).toBeUndefined();
    expect(world.refusal(forged)).toMatch(/^OLM prefers web\.v1\.2\.0 .* to web\.v1\.1\.0 /);
  });

  it('one that can be satisfied is not left out when nothing has to be', () => {
    const world = of('web');
    const left = { kind: 'subscription', name: 'web', reason: 'ConstraintsNotSatisfiable' } as const;
    const forged: Resolved = {
      ...{ result: 'resolved', chosen: [], subscriptionsCreated: [], subscriptionsUpdated: [], parts: [] },
      unresolved: [{ ...left, message: 'no', explanation: [], advice: '' }],
    };
    expect(world.refusal(forged)).toBe(
      `web.v1.2.0 ${place('shelf')} is left out, and the rules of the problem allow it`,
    );
  });

  it('one that is said not to be understood, and is, is refused', () => {
    const world = of('mill', 'web');
    const honest = world.answer() as Resolved;
    const unresolved = (honest.unresolved ?? []).map((one) => ({
      ...one,
      reason: 'ErrorPreventedResolution' as const,
    }));
    expect(world.refusal({ ...honest, unresolved })).toBe(
      'it says more or other than what follows from its chosen bundles',
    );
  });
});
