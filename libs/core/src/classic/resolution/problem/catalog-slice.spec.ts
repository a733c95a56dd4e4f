import { describe, expect, it } from 'vitest';
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
import type { IndexedCatalog } from './catalog-slice.js';
import { problemHash } from './problem-hash.js';

const harbor = samplePackage('harbor', sampleEntry('harbor', '1.0.0', [needsApi('Light')]));
const lighthouse = samplePackage('lighthouse', sampleEntry('lighthouse', '1.0.0', [providesApi('Light')]));
const windmill = samplePackage('windmill', sampleEntry('windmill', '1.0.0', [providesApi('Flour')]));
const desired = sampleNamespace({ subscriptions: [sampleSubscription('harbor')] });

const hashOf = (catalogs: readonly IndexedCatalog[], of = desired) =>
  problemHash(sampleResolution(of, catalogs).problem);
const reached = (catalogs: readonly IndexedCatalog[], of = desired) =>
  sampleResolution(of, catalogs).problem.catalogs.map(
    ({ key, packages }) => `${key.namespace}/${key.name}: ${packages.map(({ name }) => name).join(' ')}`,
  );

describe('what a change of a catalog does to the question', () => {
  const before = hashOf([sampleCatalog('shelf', harbor, lighthouse, windmill)]);
  it.each([
    {
      change: 'a package that nothing leads to gets a new version',
      after: [harbor, lighthouse, samplePackage('windmill', sampleEntry('windmill', '2.0.0'))],
    },
    { change: 'a package that nothing leads to goes', after: [harbor, lighthouse] },
    { change: 'packages come in another order', after: [windmill, lighthouse, harbor] },
  ])('none: $change', ({ after }) => {
    expect(hashOf([sampleCatalog('shelf', ...after)])).toBe(before);
  });
  it.each([
    {
      change: 'the desired package gets a new version',
      after: [samplePackage('harbor', sampleEntry('harbor', '2.0.0')), lighthouse],
    },
    {
      change: 'a provider of a required API changes',
      after: [harbor, samplePackage('lighthouse', sampleEntry('lighthouse', '1.0.1', [providesApi('Light')]))],
    },
    {
      change: 'a further provider of a required API appears',
      after: [harbor, lighthouse, samplePackage('beacon', sampleEntry('beacon', '1.0.0', [providesApi('Light')]))],
    },
  ])('a new one: $change', ({ after }) => {
    expect(hashOf([sampleCatalog('shelf', ...after)])).not.toBe(before);
  });
});

describe('what the desired state reaches', () => {
  const mill = samplePackage('mill', sampleEntry('mill', '1.0.0', [needsPackage('windmill', '>=1.0.0')]));
  const constraint = (value: unknown) =>
    samplePackage('harbor', sampleEntry('harbor', '1.0.0', [{ type: 'olm.constraint', value }]));
  const gvk = { group: 'sample.test', version: 'v1', kind: 'Light' };
  it.each([
    {
      because: 'requirements lead from package to package',
      records: [
        harbor,
        samplePackage(
          'lighthouse',
          sampleEntry('lighthouse', '1.0.0', [providesApi('Light'), needsPackage('mill', '>=0.1.0')]),
        ),
        mill,
        windmill,
      ],
      reaches: ['harbor', 'lighthouse', 'mill', 'windmill'],
    },
    {
      because: 'older versions may be chosen, so their requirements count',
      records: [
        samplePackage(
          'harbor',
          sampleEntry('harbor', '2.0.0', [], { replaces: 'harbor.v1.0.0' }),
          sampleEntry('harbor', '1.0.0', [needsPackage('mill', '>=1.0.0')]),
        ),
        mill,
        windmill,
      ],
      reaches: ['harbor', 'mill', 'windmill'],
    },
    {
      because: 'all of several parts is met among those that meet its rarest part',
      records: [constraint({ all: { constraints: [{ gvk }, { not: { constraints: [] } }] } }), lighthouse, windmill],
      reaches: ['harbor', 'lighthouse'],
    },
    {
      because: 'any of several parts leads to all of them',
      records: [
        constraint({ any: { constraints: [{ gvk }, { package: { packageName: 'mill', versionRange: '>=1.0.0' } }] } }),
        lighthouse,
        mill,
        windmill,
      ],
      reaches: ['harbor', 'lighthouse', 'mill', 'windmill'],
    },
    {
      because: 'what a CEL rule accepts is known only by asking everyone',
      records: [constraint({ cel: { rule: 'true' } }), lighthouse, windmill],
      reaches: ['harbor', 'lighthouse', 'windmill'],
    },
  ])('$because', ({ records, reaches }) => {
    expect(reached([sampleCatalog('shelf', ...records)])).toEqual([`olm/shelf: ${reaches.join(' ')}`]);
  });

  it('looks for dependencies in every catalog in sight, and in no other', () => {
    const catalogs = [
      sampleCatalog('shelf', harbor),
      sampleCatalog('other', lighthouse),
      { ...sampleCatalog('own', lighthouse), key: { namespace: 'team', name: 'own' } },
      { ...sampleCatalog('foreign', lighthouse), key: { namespace: 'elsewhere', name: 'foreign' } },
    ];
    expect(reached(catalogs)).toEqual(['olm/other: lighthouse', 'olm/shelf: harbor', 'team/own: lighthouse']);
  });

  it('leaves global catalogs out where the OperatorGroup excludes them', () => {
    const secluded = sampleNamespace({
      ...desired,
      operatorGroups: [{ name: 'group', upgradeStrategy: '', excludeGlobal: true }],
    });
    expect(reached([sampleCatalog('shelf', harbor)], secluded)).toEqual([]);
  });

  it('keeps a catalog that fails, used or not: it blocks the resolution', () => {
    const broken: IndexedCatalog = {
      key: { namespace: 'olm', name: 'broken' },
      priority: 0,
      failure: 'connection refused',
    };
    expect(sampleResolution(desired, [sampleCatalog('shelf', harbor, lighthouse), broken]).resolution).toMatchObject({
      result: 'error',
      message: 'error using catalogsource olm/broken: connection refused',
    });
  });
});
