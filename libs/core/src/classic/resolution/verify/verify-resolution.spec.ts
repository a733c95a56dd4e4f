import { describe, expect, it } from 'vitest';
import type { ChosenBundle } from '../problem/resolution-problem.js';
import {
  needsApi,
  needsPackage,
  providesApi,
  sampleEntry,
  sampleNamespace,
  samplePackage,
  sampleSubscription,
} from '../sample-problem.fixture.js';
import { isolating, type Resolved, World } from './verified-world.fixture.js';

describe('a namespace with isolation', () => {
  const needsBoth = [needsApi('Wind'), needsPackage('inn', '>=1.0.0')];
  const mill = sampleEntry('mill', '1.0.0', needsBoth);
  const desired = sampleNamespace({
    operatorGroups: isolating,
    subscriptions: [sampleSubscription('mill', { installedCSV: mill.name, currentCSV: mill.name })],
    csvs: [
      {
        ...{ name: mill.name, version: '1.0.0', replaces: '', phase: '' },
        ...{ ownedApis: [], requiredApis: [] },
        propertiesAnnotation: JSON.stringify({ properties: mill.properties }),
      },
    ],
  });

  it('gets what an installed CSV still requires when another requirement of it is given up', () => {
    const world = new World(desired, [samplePackage('mill', mill), samplePackage('inn', sampleEntry('inn', '1.0.0'))]);
    const answer = world.answer() as Resolved;
    expect(answer.chosen.map(({ name }) => name)).toEqual(['inn.v1.0.0']);
    expect(answer.unresolved?.map(({ kind, name }) => `${kind} ${name}`)).toContain('installed mill.v1.0.0');
    expect(world.refusal(answer)).toBeUndefined();
  });
});

describe('a forged solution', () => {
  const packages = [
    samplePackage(
      'app',
      sampleEntry('app', '1.0.0', [needsApi('Store')]),
      sampleEntry('app', '1.1.0', [needsApi('Store')], { replaces: 'app.v1.0.0' }),
    ),
    samplePackage('store', sampleEntry('store', '1.0.0', [providesApi('Store')])),
    samplePackage('depot', sampleEntry('depot', '1.0.0', [providesApi('Store')])),
    samplePackage('extra', sampleEntry('extra', '1.0.0', [needsPackage('store', '>=1.0.0')])),
  ];
  const world = new World(sampleNamespace({ subscriptions: [sampleSubscription('app')] }), packages);
  const honest = world.answer() as Resolved;
  const [app, store] = honest.chosen as readonly [ChosenBundle, ChosenBundle];
  const forged = (more: Partial<Resolved>): Resolved => ({ ...honest, ...more });

  it('starts from an honest one', () => {
    expect(honest.chosen.map(({ name }) => name)).toEqual(['app.v1.1.0', 'depot.v1.0.0']);
    expect(world.refusal(honest)).toBeUndefined();
  });

  it.each<[string, Resolved, RegExp]>([
    [
      'another image',
      forged({ chosen: [{ ...app, source: { image: 'evil.test/bundle:v1' } }, store] }),
      /other than what follows/,
    ],
    ['another property', forged({ chosen: [{ ...app, properties: [] }, store] }), /other than what follows/],
    ['another version', forged({ chosen: [{ ...app, version: '9.9.9' }, store] }), /other than what follows/],
    [
      'a bundle that no catalog has',
      forged({ chosen: [{ ...app, name: 'evil.v1.0.0' }, store] }),
      /evil\.v1\.0\.0 of channel stable .* is not among/,
    ],
    ['a catalog that is not in sight', forged({ chosen: [{ ...app, catalog: 'evil' }, store] }), /is not among/],
    ['a dependency left out', forged({ chosen: [app] }), /do not meet the rules/],
    [
      'nothing at all',
      forged({ chosen: [], subscriptionsCreated: [], subscriptionsUpdated: [] }),
      /do not meet the rules/,
    ],
    [
      'a Subscription to another catalog',
      forged({ subscriptionsCreated: [{ name: 'x', spec: { name: 'app', source: 'evil', sourceNamespace: 'olm' } }] }),
      /other than what follows/,
    ],
    [
      'another installed CSV',
      forged({ subscriptionsUpdated: [{ name: 'app', currentCSV: 'evil.v1' }] }),
      /other than what follows/,
    ],
    ['parts without isolation', forged({ parts: [{ bundles: ['app.v1.1.0'], subscriptions: [] }] }), /more or other/],
    ['a Subscription left out without isolation', forged({ unresolved: [] }), /more or other/],
  ])('with %s is refused', (_, claimed, reason) => {
    expect(world.refusal(claimed)).toMatch(reason);
  });

  it('with a bundle that is in reach and that nothing asks for is refused', () => {
    const wide = new World(
      sampleNamespace({ subscriptions: [sampleSubscription('app')] }),
      packages.map((one) =>
        one.name === 'app'
          ? samplePackage(
              'app',
              sampleEntry('app', '1.0.0', [needsApi('Store')]),
              sampleEntry('app', '2.0.0', [needsPackage('extra', '>=1.0.0')], { replaces: 'app.v1.0.0' }),
            )
          : one,
      ),
    );
    const older = wide.answer() as Resolved;
    expect(older.chosen.map(({ name }) => name)).toContain('extra.v1.0.0');
    const extra = older.chosen.find(({ name }) => name === 'extra.v1.0.0') as ChosenBundle;
    const needless = new World(
      sampleNamespace({
        subscriptions: [sampleSubscription('app', { startingCSV: 'app.v1.0.0' }), sampleSubscription('store')],
      }),
      packages,
    );
    const honestAnswer = needless.answer() as Resolved;
    expect(needless.refusal({ ...honestAnswer, chosen: [...honestAnswer.chosen, extra] })).toMatch(
      /extra.v1.0.0 of channel stable/,
    );
  });
});
