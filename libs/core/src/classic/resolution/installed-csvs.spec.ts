import { describe, expect, it } from 'vitest';
import type { Property } from '../../catalog/model/catalog.js';
import type { PackageRecord } from '../../catalog/model/package-record.js';
import { FAIL_FORWARD } from './problem/desired-namespace.js';
import type { DesiredNamespace, InstalledCsv } from './problem/resolution-problem.js';
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
} from './sample-problem.fixture.js';

const csv = (
  pkg: string,
  version: string,
  properties: readonly Property[] = [],
  more: Partial<InstalledCsv> = {},
): InstalledCsv => {
  const { name, properties: all } = sampleEntry(pkg, version, properties);
  const propertiesAnnotation = JSON.stringify({ properties: all });
  return { name, version, replaces: '', phase: '', propertiesAnnotation, ownedApis: [], requiredApis: [], ...more };
};
const answer = (desiredNamespace: Partial<DesiredNamespace>, ...records: PackageRecord[]) =>
  sampleResolution(sampleNamespace(desiredNamespace), [sampleCatalog('shelf', ...records)]).resolution;

describe('what a chosen bundle replaces', () => {
  const harbor = samplePackage(
    'harbor',
    sampleEntry('harbor', '3.0.0', [], { skips: ['harbor.v1.0.0'], replaces: 'harbor.v2.0.0' }),
    sampleEntry('harbor', '2.0.0', [], { replaces: 'harbor.v1.0.0' }),
  );
  const installed = csv('harbor', '1.0.0');
  const desired = sampleSubscription('harbor', { installedCSV: installed.name, currentCSV: installed.name });
  const failForward = [{ name: 'group', upgradeStrategy: FAIL_FORWARD, excludeGlobal: false }];
  const failed = csv('harbor', '1.1.0', [], { replaces: installed.name, phase: 'Failed' });
  const replacing = { ...installed, phase: 'Replacing' };
  it.each([
    {
      because: 'the CSV it skips is installed',
      given: { subscriptions: [desired], csvs: [installed] },
      chosen: { name: 'harbor.v3.0.0', replaces: 'harbor.v1.0.0' },
    },
    {
      because: 'the installed CSV is gone',
      given: { subscriptions: [desired] },
      chosen: { name: 'harbor.v3.0.0', replaces: 'harbor.v2.0.0' },
    },
    {
      because: 'fail forward passes over the CSV that is installed by name',
      given: {
        operatorGroups: failForward,
        subscriptions: [{ ...desired, startingCSV: 'harbor.v2.0.0' }],
        csvs: [replacing, { ...failed, propertiesAnnotation: '{}' }],
      },
      chosen: { name: 'harbor.v2.0.0', replaces: 'harbor.v1.0.0', startingCSV: 'harbor.v2.0.0' },
    },
    {
      because: 'fail forward passes over it, and the entry itself says what it replaces',
      given: {
        operatorGroups: failForward,
        subscriptions: [desired],
        csvs: [replacing, { ...failed, propertiesAnnotation: '{}' }],
      },
      chosen: { name: 'harbor.v3.0.0', replaces: 'harbor.v2.0.0' },
    },
    {
      because: 'two Subscriptions upgrade different CSVs to it: the last one by name counts',
      given: {
        subscriptions: [
          { ...desired, name: 'a', installedCSV: 'harbor.v2.0.0' },
          { ...desired, name: 'b' },
        ],
        csvs: [
          { ...installed, propertiesAnnotation: '{}' },
          { ...csv('harbor', '2.0.0'), propertiesAnnotation: '{}' },
        ],
      },
      chosen: { name: 'harbor.v3.0.0', replaces: 'harbor.v1.0.0' },
    },
  ])('$because', ({ given, chosen }) => {
    const [first, ...others] = ((found) => (found.result === 'resolved' ? found.chosen : []))(answer(given, harbor));
    const { name, replaces, startingCSV } = first ?? {};
    expect({ name, replaces, startingCSV }).toEqual({ startingCSV: undefined, ...chosen });
    expect(others).toEqual([]);
  });
});

describe('installed CSVs of one package that both meet a requirement', () => {
  const mill = samplePackage('mill', sampleEntry('mill', '1.0.0', [needsApi('Light')]));
  const old = csv('harbor', '1.0.0', [providesApi('Light')]);
  const next = { ...csv('harbor', '2.0.0', [providesApi('Light')]) };
  const twoChains = {
    result: 'error',
    message: expect.stringContaining('2 replacement chains were found in channel "" of package "harbor"'),
  };
  const owner = (name: string, installedCSV: string) => sampleSubscription('harbor', { name, installedCSV });
  it.each([
    { because: 'one has a Subscription', owners: [owner('harbor', next.name)], is: twoChains },
    {
      because: 'each has a Subscription',
      owners: [owner('a', old.name), owner('b', next.name)],
      is: twoChains,
    },
    {
      because: 'none has a Subscription: one of them stands for both',
      owners: [],
      is: { result: 'unsatisfiable', message: expect.stringContaining('provide Light') },
    },
  ])('$because', ({ owners, is }) => {
    const harbor = samplePackage('harbor', sampleEntry('harbor', '2.0.0'));
    const desiredNamespace = { subscriptions: [...owners, sampleSubscription('mill')], csvs: [old, next] };
    expect(answer(desiredNamespace, harbor, mill)).toMatchObject(is);
  });
});

it('every requirement that cannot be put in order is reported', () => {
  const twoHeads = (name: string) => samplePackage(name, sampleEntry(name, '1.0.0'), sampleEntry(name, '2.0.0'));
  const harbor = sampleEntry('harbor', '1.0.0', [needsPackage('mill', '>=0.0.0'), needsPackage('port', '>=0.0.0')]);
  const desiredNamespace = { subscriptions: [sampleSubscription('harbor')] };
  expect(answer(desiredNamespace, samplePackage('harbor', harbor), twoHeads('mill'), twoHeads('port'))).toMatchObject({
    result: 'error',
    message: expect.stringMatching(/^\[.*of package "mill".*of package "port".*\]$/),
  });
});

describe('the properties annotation of an installed CSV', () => {
  const harbor = samplePackage('harbor', sampleEntry('harbor', '1.0.0'));
  const of = (annotation: string) =>
    answer(
      {
        subscriptions: [sampleSubscription('harbor')],
        csvs: [csv('old', '1.0.0', [], { propertiesAnnotation: annotation })],
      },
      harbor,
    );
  it.each([
    { annotation: 'null' },
    { annotation: '{"properties":null}' },
    { annotation: '{"properties":[null]}' },
    { annotation: '{"Properties":[{"TYPE":"olm.package","Value":{"packageName":"old","version":"1.0.0"}}]}' },
  ])('$annotation is read as Go reads it', ({ annotation }) => {
    expect(of(annotation)).toMatchObject({ result: 'resolved' });
  });
  it('names match in any case', () => {
    const annotation = '{"Properties":[{"TYPE":"olm.package","Value":{"packageName":"harbor","version":"0.1.0"}}]}';
    expect(of(annotation)).toMatchObject({ result: 'unsatisfiable' });
  });
  it.each([
    { annotation: '[]', says: 'json: cannot unmarshal array into Go value of type projection.propertiesAnnotation' },
    {
      annotation: '{"properties":{}}',
      says: 'json: cannot unmarshal object into Go struct field propertiesAnnotation.properties of type []projection.property',
    },
    {
      annotation: '{"properties":[{"type":3}]}',
      says: 'json: cannot unmarshal number into Go struct field property.properties.type of type string',
    },
    { annotation: '{', says: 'it is not JSON' },
  ])('$annotation is refused: $says', ({ annotation, says }) => {
    expect(of(annotation)).toMatchObject({
      result: 'error',
      message: `error using catalogsource team/@existing: failed to retrieve properties of csv "old.v1.0.0": failed to unmarshal properties annotation: ${says}`,
    });
  });
  it('a requirement without value cannot be understood', () => {
    expect(of('{"properties":[{"type":"olm.gvk.required"}]}')).toMatchObject({ result: 'error' });
  });
});

it('an API that a bundle lists twice counts once', () => {
  const harbor = samplePackage('harbor', sampleEntry('harbor', '1.0.0', [providesApi('Light'), providesApi('Light')]));
  expect(answer({ subscriptions: [sampleSubscription('harbor')] }, harbor)).toMatchObject({ result: 'resolved' });
});
