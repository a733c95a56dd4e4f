import { describe, expect, it } from 'vitest';
import type { ClusterServiceVersion } from '../../kernel/api/cluster-service-version.js';
import type { InstallPlanStep } from '../../kernel/api/install-plan.js';
import { touchedDefinitions } from './touched-definitions.js';

const CRD = 'CustomResourceDefinition';
const LAMPS = 'lamps.example.com';
const definition = (...served: readonly string[]) => ({
  ...{ apiVersion: 'apiextensions.k8s.io/v1', kind: CRD, metadata: { name: LAMPS } },
  spec: { versions: served.map((name) => ({ name, served: true, storage: true })) },
});
const step = (manifest: string, kind = CRD, name = LAMPS): InstallPlanStep => ({
  resolving: 'lamp.v1.1.0',
  status: 'Unknown',
  resource: {
    ...{ sourceName: 'samples', sourceNamespace: 'olm', group: 'apiextensions.k8s.io', version: 'v1', kind, name },
    manifest,
  },
});
const csv = (namespace: string, name: string, owned: readonly string[], required: readonly string[] = []) => {
  const crds = (names: readonly string[]) => names.map((one) => ({ name: one, version: 'v1', kind: 'Lamp' }));
  return {
    metadata: { namespace, name },
    spec: { customresourcedefinitions: { owned: crds(owned), required: crds(required) } },
  } as unknown as ClusterServiceVersion;
};
const PLACE = { namespace: 'lamps', moves: [{ subscription: 'lamp', from: 'lamp.v1.0.0', to: 'lamp.v1.1.0' }] };
const touch = (csvs: readonly ClusterServiceVersion[], manifest = JSON.stringify(definition('v1')), live?: unknown) =>
  touchedDefinitions(
    [
      { step: step(manifest), live },
      { step: step('{}', 'Role', 'lamp'), live: undefined },
    ],
    {
      ...PLACE,
      csvs,
    },
  );

describe('definitions that a plan touches', () => {
  it('name other owners and users in the cluster, and none of the operators that the plan moves', () => {
    const csvs = [
      csv('lamps', 'lamp.v1.0.0', [LAMPS]),
      csv('lamps', 'lamp.v1.1.0', [LAMPS]),
      csv('lamps', 'mast.v1.0.0', [], [LAMPS]),
      csv('other', 'lamp.v1.0.0', [LAMPS]),
      csv('other', 'ship.v1.0.0', ['ships.example.com']),
    ];
    expect(touch(csvs)).toEqual([
      {
        ...{ bundle: 'lamp.v1.1.0', name: LAMPS, change: 'new', more: 0 },
        others: [
          { namespace: 'other', name: 'lamp.v1.0.0', role: 'owner' },
          { namespace: 'lamps', name: 'mast.v1.0.0', role: 'user' },
        ],
      },
    ]);
  });

  it.each([
    ['unchanged', definition('v1'), 'unchanged'],
    ['with other versions', definition('v1', 'v2'), 'changed'],
    ['not there', undefined, 'new'],
  ])('say how they change: %s', (_, live, change) => {
    expect(touch([], JSON.stringify(definition('v1')), live)).toMatchObject([{ change }]);
  });

  it('say that their content cannot be read', () => {
    expect(touch([], '{broken')).toMatchObject([{ change: 'unread' }]);
  });

  it('list twenty others, and count the rest', () => {
    const csvs = Array.from({ length: 25 }, (_, at) => csv(`n-${at}`, 'lamp.v1.0.0', [LAMPS]));
    const [found] = touch(csvs);
    expect([found?.others.length, found?.more]).toEqual([20, 5]);
  });

  it('begin with those that have other owners', () => {
    const other = { ...step(JSON.stringify(definition('v1'))), resource: step('{}', CRD, 'a.example.com').resource };
    const steps = [other, step(JSON.stringify(definition('v1')))].map((one) => ({ step: one, live: undefined }));
    const found = touchedDefinitions(steps, { ...PLACE, csvs: [csv('other', 'lamp.v1.0.0', [LAMPS])] });
    expect(found.map(({ name }) => name)).toEqual([LAMPS, 'a.example.com']);
  });
});
