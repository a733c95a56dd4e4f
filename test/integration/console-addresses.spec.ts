import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CatalogRow, OperatorRow, PlanRow, ViewRow } from '#core/view/rows/rows';
import {
  catalogRow,
  clusterRow,
  openConsole,
  operatorRow,
  planRow,
  type RunningConsole,
} from '../../apps/console/src/console.fixture.js';
import { paths, rowPaths, withQuery } from '../../apps/console/web/live/address.js';

type Row = Readonly<Record<string, unknown>>;
type Answer = Readonly<{ items: readonly Row[]; total: number }>;

/** No address leads to a part of dots alone: browsers take it out. */
const isAddressable = (name: string): boolean => !/^\.+$/.test(name);

/** Contexts of kubeconfigs may have any name. */
const clusterName = fc
  .oneof(
    fc.constantFrom('eu,west', 'a\\,b', 'corp\\admin', 'a b', '100%', 'x?y#z', 'ü/é', 'q&a=b', '+1'),
    fc.constant('arn:aws:eks:eu-west-1:123456789012:cluster/prod'),
    fc.string({ unit: fc.constantFrom('a', 'b', '-', '.', ',', '/', ':', ' ', '\\', '%'), minLength: 1, maxLength: 9 }),
  )
  .filter(isAddressable);
const objectName = fc
  .oneof(
    fc.constantFrom('my-operator-1', 'my-operator', 'operator', 'op.er.ator', 'a'.repeat(253)),
    fc.string({ unit: fc.constantFrom('a', 'b', '1', '-', '.'), minLength: 1, maxLength: 6 }),
  )
  .filter(isAddressable);
const standing = fc.constantFrom('failed', 'blocked', 'needs-approval', 'under-way', 'well');

const operator = fc
  .record({ cluster: clusterName, namespace: fc.constantFrom('', 'a', 'b'), name: objectName, standing })
  .map(({ cluster, namespace, name, standing: of }): OperatorRow => {
    const id = namespace === '' ? `extension/${name}` : `subscription/${namespace}/${name}`;
    const api = namespace === '' ? 'v1' : 'classic';
    const next = of === 'under-way' ? `${name}.v2` : '';
    return operatorRow(cluster, 'lamp', { id, namespace, name, api, standing: of, package: name, next });
  });
const plan = fc
  .record({ cluster: clusterName, namespace: fc.constantFrom('a', 'b'), hash: fc.constantFrom('h1', 'h2', 'h,3') })
  .map(
    ({ cluster, namespace, hash }): PlanRow => planRow(cluster, 'lamp', hash, { id: `plan/${namespace}/i`, namespace }),
  );
const catalog = fc
  .record({ cluster: clusterName, namespace: fc.constantFrom('', 'olm'), name: objectName, at: fc.nat(400) })
  .map(({ cluster, namespace, name, at }): CatalogRow => {
    const id = namespace === '' ? `cluster-catalog/${name}` : `source/${namespace}/${name}`;
    const source = namespace === '' ? 'ClusterCatalog' : 'CatalogSource';
    const digest = at === 0 ? '' : `sha256:${String(at).padStart(64, '0').split('').toReversed().join('')}`;
    return catalogRow(cluster, digest, { id, namespace, name, source });
  });
const fleet = fc.record({
  operators: fc.array(operator, { maxLength: 260, size: 'max' }),
  plans: fc.array(plan, { maxLength: 20 }),
  catalogs: fc.array(catalog, { maxLength: 260, size: 'max' }),
});

/** The decoded parts of an address, as the router of the pages takes them. */
const partsOf = (path: string): readonly string[] =>
  new URL(path, 'http://console').pathname.split('/').slice(1).map(decodeURIComponent);

class Reading {
  constructor(private readonly run: RunningConsole) {}

  async answer(path: string): Promise<Answer> {
    const answer = await this.run.get(`/api/v1/${path}`);
    expect([path, answer.status]).toEqual([path, 200]);
    return (await answer.json()) as Answer;
  }

  /** All rows of a list, window by window; each answer has the same total. */
  async rows(list: string): Promise<readonly Row[]> {
    const rows: Row[] = [];
    for (let total = 1; rows.length < total; ) {
      const answer = await this.answer(withQuery(list, { offset: String(rows.length), limit: '200' }));
      total = answer.total;
      if (answer.items.length === 0) break;
      rows.push(...answer.items);
    }
    expect(rows).toHaveLength((await this.answer(withQuery(list, { limit: '1' }))).total);
    return rows;
  }
}

/** The list, the address of a row's page, the question of the page, and how the row is told apart. */
const LISTS: readonly (readonly [list: string, address: (row: never) => string, key: readonly string[]])[] = [
  ['clusters', (row: { cluster: string }) => paths.cluster(row.cluster), ['cluster']],
  ['operators', (row: OperatorRow) => paths.operator(row), ['cluster', 'id']],
  ['packages', (row: { package: string }) => paths.package(row.package), ['package']],
  ['plan-classes', (row: { hash: string }) => paths.review(row.hash), ['hash']],
  ['catalogs', (row: { id: string }) => paths.catalog(row.id), ['id', 'name', 'source']],
  ['rollouts', (row: { id: string }) => paths.rollout(row.id), ['id']],
];

/** Questions of the page at an address. */
function questionOf(path: string): string {
  const [page = '', first = '', second = '', , fourth = ''] = partsOf(path);
  if (page === 'operators') return rowPaths.package(first);
  if (page === 'approvals') return rowPaths.planClass(first);
  if (page === 'catalogs') return rowPaths.content(first);
  if (page === 'rollouts') return rowPaths.rollout(first);
  if (second === '') return rowPaths.cluster(first);
  const [, , , name = ''] = partsOf(path);
  return second === 'extensions' && fourth === ''
    ? rowPaths.operator(first, `extension/${name}`)
    : rowPaths.operator(first, `subscription/${second}/${fourth}`);
}

async function checkAddresses(reading: Reading): Promise<void> {
  for (const [list, address, key] of LISTS) {
    const told = (row: Row) => key.map((name) => row[name]);
    for (const row of await reading.rows(list)) {
      const found: unknown = await reading.answer(questionOf(address(row as never)));
      const items = list === 'rollouts' ? [found as Row] : (found as Answer).items;
      expect(items.map(told), `${list}: ${address(row as never)}`).toContainEqual(told(row));
      if (list !== 'catalogs') expect(items).toHaveLength(1);
    }
  }
}

/** Counts of all values of a column add up to its list, and each leads to as many rows. */
async function checkFacets(reading: Reading): Promise<void> {
  const all = await reading.answer(withQuery('operators', { facets: 'standing', limit: '1' }));
  const { facets = {} } = all as Answer & { facets?: Record<string, readonly { value: string; count: number }[]> };
  const counts = facets['standing'] ?? [];
  expect(counts.reduce((sum, { count }) => sum + count, 0)).toBe(all.total);
  for (const { value, count } of counts)
    expect((await reading.answer(withQuery('operators', { standing: value, limit: '1' }))).total).toBe(count);
  const packages = await reading.rows('packages');
  expect(packages.reduce((sum, one) => sum + Number(one['operators']), 0)).toBe(all.total);
}

describe('every row that a list can reach', () => {
  it('is reached by its address, whatever its names are, and totals add up', async () => {
    const requests = { perSecond: 1_000_000, burst: 1_000_000 };
    await fc.assert(
      fc.asyncProperty(fleet, async ({ operators, plans, catalogs }) => {
        const run = await openConsole({}, { requests });
        try {
          const rows: readonly ViewRow[] = [...operators, ...plans, ...catalogs];
          for (const [cluster, own] of Map.groupBy(rows, (row) => row.cluster))
            await run.view.write({ cluster, changed: [clusterRow(cluster), ...own], removed: [] });
          const reading = new Reading(run);
          await checkAddresses(reading);
          await checkFacets(reading);
        } finally {
          await run.service.stop();
        }
      }),
      { numRuns: 6 },
    );
  });
});
