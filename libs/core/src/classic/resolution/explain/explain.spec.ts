import { describe, expect, it } from 'vitest';
import type { PackageRecord } from '../../../catalog/model/package-record.js';
import type { DesiredNamespace } from '../problem/resolution-problem.js';
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
import { withNearPackages } from './near-packages.js';
import { renderExplanation } from './render-explanation.js';

const story = (desired: Partial<DesiredNamespace>, ...records: PackageRecord[]): string => {
  const { resolution } = sampleResolution(sampleNamespace(desired), [sampleCatalog('shelf', ...records)]);
  return resolution.result === 'unsatisfiable'
    ? renderExplanation(resolution.explanation, resolution.advice)
    : `unexpected: ${resolution.result}`;
};
const subscribed = (...names: string[]) => ({ subscriptions: names.map((name) => sampleSubscription(name)) });
const replacing = (version: string) => ({ replaces: `harbor.v${version}` });

describe('the story of an unsatisfiable resolution', () => {
  it('names the dependency that nothing provides', () => {
    const harbor = samplePackage('harbor', sampleEntry('harbor', '1.0.0', [needsPackage('lighthouse', '>=1.0.0')]));
    expect(story(subscribed('harbor'), harbor)).toMatchInlineSnapshot(`
      "Subscription team/harbor cannot be met: its only candidate harbor.v1.0.0 (channel stable of catalog olm/shelf) needs package lighthouse in >=1.0.0, but no catalog available to this namespace provides it.
      Add a catalog that provides package lighthouse in >=1.0.0, or remove the Subscription that leads to it."
    `);
  });
  it('names the versions that are there when none is in range', () => {
    const harbor = samplePackage('harbor', sampleEntry('harbor', '1.0.0', [needsPackage('lighthouse', '>=1.0.0')]));
    const lighthouse = samplePackage('lighthouse', sampleEntry('lighthouse', '0.9.0'));
    expect(story(subscribed('harbor'), harbor, lighthouse)).toMatchInlineSnapshot(`
      "Subscription team/harbor cannot be met: its only candidate harbor.v1.0.0 (channel stable of catalog olm/shelf) needs package lighthouse in >=1.0.0, but no catalog available to this namespace provides it (catalog olm/shelf has 0.9.0).
      Add a catalog that provides package lighthouse in >=1.0.0 (catalog olm/shelf has 0.9.0), or choose a version that needs less."
    `);
  });
  it('groups alike candidates', () => {
    const harbor = samplePackage(
      'harbor',
      sampleEntry('harbor', '1.0.0', [needsApi('Light')]),
      sampleEntry('harbor', '1.1.0', [needsApi('Light')], replacing('1.0.0')),
      sampleEntry('harbor', '1.2.0', [needsApi('Light'), needsApi('Fog')], replacing('1.1.0')),
    );
    expect(story(subscribed('harbor'), harbor)).toMatchInlineSnapshot(`
      "Subscription team/harbor cannot be met: none of its 3 candidates can be installed: harbor.v1.2.0 (channel stable of catalog olm/shelf) needs API Light (sample.test/v1), but no catalog available to this namespace provides it, and the same holds for harbor.v1.1.0 and harbor.v1.0.0.
      Add a catalog that provides API Light (sample.test/v1), or remove the Subscription that leads to it."
    `);
  });
  it('follows dependencies of dependencies', () => {
    const harbor = samplePackage('harbor', sampleEntry('harbor', '1.0.0', [needsApi('Light')]));
    const lighthouse = samplePackage(
      'lighthouse',
      sampleEntry('lighthouse', '1.0.0', [providesApi('Light'), needsApi('Fog')]),
    );
    expect(story(subscribed('harbor'), harbor, lighthouse)).toMatchInlineSnapshot(`
      "Subscription team/harbor cannot be met: its only candidate harbor.v1.0.0 (channel stable of catalog olm/shelf) needs API Light (sample.test/v1), but its only candidate lighthouse.v1.0.0 (channel stable of catalog olm/shelf) needs API Fog (sample.test/v1), but no catalog available to this namespace provides it.
      Add a catalog that provides API Fog (sample.test/v1), or remove the Subscription that leads to it."
    `);
  });
  it('names two providers of one API', () => {
    const one = samplePackage('harbor', sampleEntry('harbor', '1.0.0', [providesApi('Light')]));
    const two = samplePackage('beacon', sampleEntry('beacon', '1.0.0', [providesApi('Light')]));
    expect(story(subscribed('harbor', 'beacon'), one, two)).toMatchInlineSnapshot(`
      "Subscription team/beacon cannot be met: its only candidate beacon.v1.0.0 (channel stable of catalog olm/shelf) cannot be installed together with harbor.v1.0.0 (channel stable of catalog olm/shelf): both provide Light (sample.test/v1).
      Subscription team/harbor cannot be met: its only candidate harbor.v1.0.0 (channel stable of catalog olm/shelf) cannot be installed together with beacon.v1.0.0 (channel stable of catalog olm/shelf): both provide Light (sample.test/v1).
      Install them in different namespaces, or remove one: a namespace has room for one provider of Light (sample.test/v1)."
    `);
  });
  it('counts those who want more places than there are', () => {
    const birds = ['ara', 'bee', 'cat', 'dog', 'elk'];
    const apis = ['One', 'Two', 'Three', 'Four'];
    const bird = (name: string) =>
      samplePackage(
        name,
        ...apis.map((kind, at) =>
          sampleEntry(name, `${at}.0.0`, [providesApi(kind)], at === 0 ? {} : { replaces: `${name}.v${at - 1}.0.0` }),
        ),
      );
    expect(story(subscribed(...birds), ...birds.map(bird))).toMatchInlineSnapshot(`
      "Subscriptions ara, bee, cat, dog and elk cannot be met together: each of these 5 has candidates of its own, but all of their candidates belong to only 4 APIs or packages (Four (sample.test/v1), One (sample.test/v1), Three (sample.test/v1) and Two (sample.test/v1)), and a namespace has room for one of each.
      Move at least one of them to another namespace, or remove one."
    `);
  });
  it('passes on what the author of a constraint says, at every depth', () => {
    const gvk = { group: 'sample.test', version: 'v1', kind: 'Light' };
    const value = {
      failureMessage: 'a harbor needs light',
      all: {
        constraints: [
          { gvk, failureMessage: 'any lamp will do' },
          { cel: { rule: 'false' }, failureMessage: 'and luck' },
        ],
      },
    };
    const harbor = samplePackage('harbor', sampleEntry('harbor', '1.0.0', [{ type: 'olm.constraint', value }]));
    expect(story(subscribed('harbor'), harbor)).toMatchInlineSnapshot(`
      "Subscription team/harbor cannot be met: its only candidate harbor.v1.0.0 (channel stable of catalog olm/shelf) needs one operator that is all of (API Light (sample.test/v1) (its author says: any lamp will do); an operator for which false holds (its author says: and luck)) (its author says: a harbor needs light), but no catalog available to this namespace provides it.
      Add a catalog that provides one operator that is all of (API Light (sample.test/v1) (its author says: any lamp will do); an operator for which false holds (its author says: and luck)) (its author says: a harbor needs light), or remove the Subscription that leads to it."
    `);
  });
  it('names a CSV that no Subscription holds', () => {
    const harbor = samplePackage('harbor', sampleEntry('harbor', '1.0.0'));
    const csvs = [
      {
        name: 'harbor.v0.9.0',
        version: '0.9.0',
        replaces: '',
        phase: '',
        propertiesAnnotation: JSON.stringify({ properties: sampleEntry('harbor', '0.9.0').properties }),
        ownedApis: [],
        requiredApis: [],
      },
    ];
    expect(story({ ...subscribed('harbor'), csvs }, harbor)).toMatchInlineSnapshot(`
      "ClusterServiceVersion team/harbor.v0.9.0 is installed, no Subscription refers to it, so it stays: it cannot be installed together with harbor.v1.0.0 (channel stable of catalog olm/shelf): both are of package harbor.
      Subscription team/harbor cannot be met: its only candidate harbor.v1.0.0 (channel stable of catalog olm/shelf) cannot be installed together with harbor.v0.9.0 (installed): both are of package harbor.
      If ClusterServiceVersion team/harbor.v0.9.0 is in phase Replacing, an upgrade from it has stopped: delete nothing, and see why with flotilla status. Otherwise set status.installedCSV of a Subscription to it again. Or delete it: this also deletes its Deployments and stops its operator."
    `);
  });
  it.each([
    { lacks: 'catalog', more: { source: 'nowhere' } },
    { lacks: 'package', more: { package: 'habor' } },
    { lacks: 'channel', more: { channel: 'fast' } },
    { lacks: 'startingCSV', more: { startingCSV: 'harbor.v9.9.9' } },
  ])('says what to check when the $lacks is not there', ({ more }) => {
    const harbor = samplePackage('harbor', sampleEntry('harbor', '1.0.0'));
    expect(story({ subscriptions: [sampleSubscription('harbor', more)] }, harbor)).toMatchSnapshot();
  });

  it.each([
    { more: { package: 'habor' }, says: 'has no package habor (did you mean "harbor"?).' },
    { more: { package: 'zzz' }, says: 'has no package zzz.' },
    { more: { channel: 'stabel' }, says: 'has no channel stabel, only stable (did you mean "stable"?).' },
    { more: { channel: 'fast' }, says: 'has no channel fast, only stable.' },
  ])('names what a mistyped $more may mean, of the whole catalog', ({ more, says }) => {
    const records = ['harbor', 'lighthouse'].map((name) => samplePackage(name, sampleEntry(name, '1.0.0')));
    const catalogs = [sampleCatalog('shelf', ...records)];
    const wishes = sampleNamespace({ subscriptions: [sampleSubscription('harbor', more)] });
    const found = withNearPackages(sampleResolution(wishes, catalogs).resolution, catalogs);
    expect(found).toMatchObject({ result: 'unsatisfiable', advice: expect.stringContaining(says) });
  });
});
