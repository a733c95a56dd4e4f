import { expect, it } from 'vitest';
import type { ClusterRow } from '#core/view/rows/rows';
import { catalogRow, clusterRow, operatorRow } from '../console.fixture.js';
import type { FleetRows } from '../rows/fleet-rows.js';
import { causeGroups } from './causes.js';

it.each([
  { kind: 'CatalogSource', catalogIs: 'failed' },
  { kind: 'ClusterCatalog', catalogIs: 'blocked' },
] as const)('shows a $kind and the operators that it blocks as one cause, as urgent as status does', (one) => {
  const cause = { code: 'catalog-not-ready', kind: one.kind, names: ['olm/samples'], text: 'not ready' };
  const rows = {
    operators: [operatorRow('east', 'harbor', { standing: 'blocked', cause })],
    clusters: [],
    catalogs: [{ ...catalogRow('east', ''), standing: one.catalogIs, cause }],
  } as unknown as FleetRows;
  expect(causeGroups(rows)).toMatchObject([{ standing: 'failed', clusters: 1, operators: 1 }]);
});

it('dates a cause by its operators, not by how long their cluster has been reached', () => {
  const cause = { code: 'plan-failed', kind: 'InstallPlan', names: ['harbor'], text: 'plan failed' };
  const failed = { standing: 'failed', cause } as const;
  const rows: Partial<FleetRows> = {
    operators: [operatorRow('east', 'harbor', { ...failed, since: '2026-11-25T10:30:00Z' })],
    clusters: [clusterRow('east', { ...failed, since: '2026-11-18T10:00:00Z' })],
    catalogs: [],
  };
  expect(causeGroups(rows as FleetRows)).toMatchObject([{ operators: 1, since: '2026-11-25T10:30:00Z' }]);
});

const away = (cluster: string, text: string, ...names: readonly string[]) =>
  clusterRow(cluster, {
    ...{ reach: 'away', standing: 'failed', cause: { code: 'cluster-away', kind: 'Cluster', names: [...names], text } },
  });
const textsOf = (clusters: readonly ClusterRow[]) =>
  causeGroups({ operators: [], clusters, catalogs: [] } as Partial<FleetRows> as FleetRows).map(
    ({ standing, cause, clusters: count }) => `${standing} ${count} ${cause.text}`,
  );

it('shows clusters that cannot be reached as one cause, with the reason where it is the same for all', () => {
  const of = (...texts: readonly string[]) => textsOf(texts.map((text, at) => away(`eu-${at}`, text)));
  expect(of('no route', 'no route')).toEqual(['failed 2 no route']);
  expect(of('no route', 'no route', 'refused')).toEqual(['failed 3 These clusters are unreachable.']);
});

it('shows clusters apart that are unreachable for reasons of different kinds', () => {
  const clusters = [
    away('eu-1', 'answers 401', 'login'),
    away('eu-2', 'login expired', 'login'),
    away('eu-3', 'self-signed certificate', 'certificate'),
    away('eu-4', 'no route to 10.0.0.1', 'network'),
    away('eu-5', 'no route to 10.0.0.2', 'network'),
    away('eu-6', 'odd', 'of-a-later-release'),
    away('eu-7', 'odder', 'of-a-later-release'),
  ];
  expect(textsOf(clusters).toSorted()).toEqual([
    'failed 1 self-signed certificate',
    'failed 2 The network does not lead to these clusters.',
    'failed 2 These clusters are unreachable.',
    'failed 2 These clusters do not accept the login of the hub.',
  ]);
});
