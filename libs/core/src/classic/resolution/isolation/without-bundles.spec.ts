import { expect, it } from 'vitest';
import type { ChosenBundle, DesiredNamespace, Resolution } from '../problem/resolution-problem.js';
import { providesApi } from '../sample-problem.fixture.js';
import { withoutBundles } from './without-bundles.js';

const requiresApi = (kind: string) => ({
  type: 'olm.gvk.required',
  value: { group: 'sample.test', version: 'v1', kind },
});

const chosen = (name: string, properties: ChosenBundle['properties'] = [], more: Partial<ChosenBundle> = {}) => ({
  name: `${name}.v1`,
  package: name,
  channel: 'stable',
  catalog: 'shelf',
  catalogNamespace: 'olm',
  version: '1.0.0',
  replaces: '',
  source: { image: `registry.test/${name}:1` },
  properties: [{ type: 'olm.package', value: { packageName: name, version: '1.0.0' } }, ...properties],
  ...more,
});

const desired = (subscriptions: readonly string[], csvs: DesiredNamespace['csvs'] = []): DesiredNamespace => ({
  namespace: 'shop',
  globalCatalogNamespace: 'olm',
  operatorGroups: [],
  subscriptions: subscriptions.map((name) => ({
    ...{ name, package: name, channel: 'stable', startingCSV: '', source: 'shelf', sourceNamespace: 'olm' },
    ...{ installedCSV: '', currentCSV: '' },
  })),
  csvs,
});

function resolved(bundles: readonly ChosenBundle[], updated: readonly string[], created: readonly string[] = []) {
  const resolution: Resolution = {
    result: 'resolved',
    chosen: bundles,
    subscriptionsCreated: created.map((name) => ({ name, spec: { startingCSV: `${name}.v1` } })),
    subscriptionsUpdated: updated.map((name) => ({ name, currentCSV: `${name}.v1` })),
  };
  return resolution;
}

const names = ({ rest, refusals }: ReturnType<typeof withoutBundles>) => ({
  chosen: rest.chosen.map(({ name }) => name),
  created: rest.subscriptionsCreated.map(({ name }) => name),
  updated: rest.subscriptionsUpdated.map(({ name }) => name),
  refusals,
});

it('a bundle that stands alone: its Subscription waits, the others move', () => {
  const resolution = resolved([chosen('gum'), chosen('kiwi')], ['gum', 'kiwi']);
  expect(names(withoutBundles(resolution, new Set(['gum.v1']), desired(['gum', 'kiwi'])))).toEqual({
    ...{ chosen: ['kiwi.v1'], created: [], updated: ['kiwi'] },
    refusals: [{ bundle: 'gum.v1', subscriptions: ['gum'] }],
  });
});

it('a dependency: the bundle that requires it waits with it, and no Subscription is made for it', () => {
  const bundles = [chosen('fig', [requiresApi('Gum')]), chosen('gum', [providesApi('Gum')]), chosen('kiwi')];
  const resolution = resolved(bundles, ['fig', 'kiwi'], ['gum']);
  expect(names(withoutBundles(resolution, new Set(['gum.v1']), desired(['fig', 'kiwi'])))).toEqual({
    ...{ chosen: ['kiwi.v1'], created: [], updated: ['kiwi'] },
    refusals: [{ bundle: 'gum.v1', subscriptions: ['fig'] }],
  });
});

it('a bundle that takes over an API of the one it cannot follow waits, too', () => {
  const api = { name: 'gums.sample.test', group: 'sample.test', version: 'v1', kind: 'Gum' };
  const old = { ...{ name: 'gum.v0', version: '0.9.0', replaces: '', phase: 'Succeeded' }, ownedApis: [api] };
  const bundles = [chosen('gum', [], { replaces: 'gum.v0' }), chosen('kiwi', [providesApi('Gum')])];
  const around = desired(['gum', 'kiwi'], [{ ...old, requiredApis: [] }]);
  const { refusals } = withoutBundles(resolved(bundles, ['gum', 'kiwi']), new Set(['gum.v1']), around);
  expect(refusals).toEqual([{ bundle: 'gum.v1', subscriptions: ['gum', 'kiwi'] }]);
});

it('the other half is what needs the bundle', () => {
  const bundles = [chosen('fig', [requiresApi('Gum')]), chosen('gum', [providesApi('Gum')]), chosen('kiwi')];
  const resolution = resolved(bundles, ['fig', 'kiwi'], ['gum']);
  const { affected } = withoutBundles(resolution, new Set(['gum.v1']), desired(['fig', 'kiwi']));
  expect(affected).toMatchObject({
    chosen: [{ name: 'fig.v1' }, { name: 'gum.v1' }],
    subscriptionsCreated: [{ name: 'gum' }],
    subscriptionsUpdated: [{ name: 'fig' }],
  });
});

it('what is installed already stays in the resolution', () => {
  const resolution = resolved([chosen('gum'), chosen('kiwi', [], { upToDate: true })], ['gum']);
  const { rest } = withoutBundles(resolution, new Set(['gum.v1']), desired(['gum', 'kiwi']));
  expect(rest).toMatchObject({ chosen: [{ name: 'kiwi.v1' }], subscriptionsUpdated: [] });
});
