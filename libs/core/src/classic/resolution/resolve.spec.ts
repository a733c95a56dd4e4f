import { describe, expect, it } from 'vitest';
import type { Property } from '../../catalog/model/catalog.js';
import type { PackageRecord } from '../../catalog/model/package-record.js';
import type { DesiredNamespace, InstalledCsv } from './problem/resolution-problem.js';
import {
  needsPackage,
  sampleCatalog,
  sampleEntry,
  sampleNamespace,
  samplePackage,
  sampleResolution,
  sampleSubscription,
} from './sample-problem.fixture.js';

const answer = (desiredNamespace: Partial<DesiredNamespace>, ...records: PackageRecord[]) =>
  sampleResolution(sampleNamespace(desiredNamespace), [sampleCatalog('shelf', ...records)]).resolution;
const desired = { subscriptions: [sampleSubscription('harbor')] };
const broken = (value: unknown): Property => ({ type: 'olm.constraint', value });
const csv = (more: Partial<InstalledCsv>): InstalledCsv => ({
  name: 'old',
  version: '1.0.0',
  replaces: '',
  phase: '',
  ownedApis: [],
  requiredApis: [],
  ...more,
});

describe('errors that prevent resolution', () => {
  const plain = samplePackage('harbor', sampleEntry('harbor', '1.0.0'));
  const twoHeads = samplePackage('harbor', sampleEntry('harbor', '1.0.0'), sampleEntry('harbor', '2.0.0'));
  const circle = samplePackage(
    'harbor',
    sampleEntry('harbor', '1.0.0', [], { replaces: 'harbor.v2.0.0' }),
    sampleEntry('harbor', '2.0.0', [], { replaces: 'harbor.v1.0.0' }),
  );
  const tail = samplePackage(
    'harbor',
    sampleEntry('harbor', '3.0.0', [], { replaces: 'harbor.v2.0.0' }),
    sampleEntry('harbor', '2.0.0', [], { replaces: 'harbor.v1.0.0' }),
    sampleEntry('harbor', '1.0.0', [], { replaces: 'harbor.v2.0.0' }),
  );
  it.each([
    {
      because: 'no OperatorGroup',
      given: { ...desired, operatorGroups: [] },
      records: [plain],
      message: 'expected 1 OperatorGroup in the namespace, found 0',
    },
    {
      because: 'two chains in a channel',
      given: desired,
      records: [twoHeads],
      message:
        'a unique replacement chain within a channel is required to determine the relative order between channel entries, but 2 replacement chains were found in channel "stable" of package "harbor": harbor.v1.0.0, harbor.v2.0.0',
    },
    {
      because: 'no head in a channel',
      given: desired,
      records: [circle],
      message: 'no channel heads (entries not replaced by another entry) found in channel "stable" of package "harbor"',
    },
    {
      because: 'a circle below the head',
      given: desired,
      records: [tail],
      message:
        'a cycle exists in the chain of replacement beginning with "harbor.v3.0.0" in channel "stable" of package "harbor"',
    },
    {
      because: 'a range that does not parse',
      given: desired,
      records: [samplePackage('harbor', sampleEntry('harbor', '1.0.0', [needsPackage('mill', '^1.0.0')]))],
      message: 'Could not parse Range "^1.0.0": Could not parse comparator "^" in "^1.0.0"',
    },
    {
      because: 'a constraint of an unknown kind',
      given: desired,
      records: [samplePackage('harbor', sampleEntry('harbor', '1.0.0', [broken({ none: {} })]))],
      message: 'parse olm.constraint: json: unknown field "none"',
    },
    {
      because: 'properties of an installed CSV that are no JSON',
      given: { ...desired, csvs: [csv({ propertiesAnnotation: '{' })] },
      records: [plain],
      message: expect.stringContaining(
        'error using catalogsource team/@existing: failed to retrieve properties of csv "old"',
      ),
    },
    {
      because: 'a CRD name without group',
      given: { ...desired, csvs: [csv({ ownedApis: [{ name: 'lights', group: '', version: 'v1', kind: 'Light' }] })] },
      records: [plain],
      message: 'error using catalogsource team/@existing: error parsing crd name: lights',
    },
  ])('$because', ({ given, records, message }) => {
    expect(answer(given, ...records)).toMatchObject({
      result: 'error',
      message,
      advice: expect.stringMatching(/\S/),
    });
  });

  it('names every cause once, in brackets', () => {
    const desiredNamespace = {
      subscriptions: [sampleSubscription('harbor'), sampleSubscription('mill'), sampleSubscription('port')],
    };
    const of = (name: string, value: unknown) => samplePackage(name, sampleEntry(name, '1.0.0', [broken(value)]));
    expect(answer(desiredNamespace, of('harbor', {}), of('mill', { x: 1 }), of('port', { x: 1 }))).toMatchObject({
      message:
        '[convert olm.constraint to resolver predicate: constraint is empty, parse olm.constraint: json: unknown field "x"]',
    });
  });

  it('names the bundle whose data cannot be understood', () => {
    const of = (value: unknown) => samplePackage('harbor', sampleEntry('harbor', '1.0.0', [broken(value)]));
    expect(answer(desired, of({}))).toMatchObject({
      advice:
        'harbor.v1.0.0 (channel stable of catalog olm/shelf) has data that cannot be read. Ask its author to correct it, or remove it from the catalog.',
    });
  });

  it('does not mind what is broken out of reach', () => {
    const mill = samplePackage('mill', sampleEntry('mill', '1.0.0', [broken({})]));
    expect(answer(desired, plain, mill)).toMatchObject({ result: 'resolved' });
  });

  it('refuses a CSV name that two packages of a catalog share', () => {
    const other = samplePackage('other', { ...sampleEntry('other', '1.0.0'), name: 'harbor.v1.0.0' });
    const subscriptions = [sampleSubscription('harbor'), sampleSubscription('other')];
    expect(answer({ subscriptions }, plain, other)).toMatchObject({
      result: 'error',
      message: 'expected exactly one operator, got 2',
    });
  });

  it('gives up with a code of its own when the budget is spent', () => {
    const provides = (kind: string): Property => ({ type: 'olm.gvk', value: { group: 'g', version: 'v', kind } });
    const pigeon = (name: string) =>
      samplePackage(
        name,
        sampleEntry(name, '1.0.0', [provides('One')]),
        sampleEntry(name, '2.0.0', [provides('Two')], { replaces: `${name}.v1.0.0` }),
      );
    const many = sampleNamespace({ subscriptions: ['a', 'b', 'c'].map((name) => sampleSubscription(name)) });
    const shelf = sampleCatalog('shelf', pigeon('a'), pigeon('b'), pigeon('c'));
    expect(sampleResolution(many, [shelf], { conflicts: 0, work: 0 }).resolution).toMatchObject({
      result: 'error',
      code: 'ResolutionTooHard',
    });
    expect(sampleResolution(many, [shelf]).resolution).toMatchObject({ result: 'unsatisfiable' });
  });
});
