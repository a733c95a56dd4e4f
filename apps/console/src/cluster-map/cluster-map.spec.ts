import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { filterValue } from '#core/kernel/text/filter-values';
import { labelText, withoutLabel } from '#core/kernel/text/label-filter';
import { ClusterMap } from '../api/pictures.schema.js';
import { clusterRow } from '../console.fixture.js';
import { clusterColumns, matching } from '../lists/filter.js';
import { clusterMap } from './cluster-map.js';

const at = (name: string, labels: Record<string, string>, more = {}) => clusterRow(name, { labels, ...more });
const FLEET = [
  at('a', { region: 'eu', tier: 'prod', name: 'a' }, { standing: 'failed', reach: 'away' }),
  at('b', { region: 'eu', tier: 'prod', name: 'b' }),
  at('c', { region: 'us', tier: 'lab', name: 'c' }, { standing: 'blocked' }),
  at('d', { tier: 'lab', name: 'd' }),
  at('e', {}),
];

describe('the map of clusters', () => {
  it('takes the two labels that are on most clusters, if none is chosen, and counts states in each cell', () => {
    const map = clusterMap(FLEET, { rows: 'region', columns: 'tier' });
    expect(map).toMatchObject({
      ...{ total: 5, outside: 0, moreRows: 0, moreColumns: 0 },
      rowValues: [{ value: 'eu', clusters: 2 }, { value: 'us', clusters: 1 }, { clusters: 2 }],
      columnValues: [{ value: 'lab', clusters: 2 }, { value: 'prod', clusters: 2 }, { clusters: 1 }],
    });
    expect(map.cells[0]).toEqual({
      ...{ row: 0, column: 1, clusters: 2, away: 1 },
      counts: { failed: 1, blocked: 0, 'needs-approval': 0, 'under-way': 0, well: 1 },
    });
    expect(clusterMap(FLEET, {})).toMatchObject({ rows: 'name', columns: 'tier' });
  });

  it('prefers labels that divide clusters to those that name them', () => {
    const many = Array.from({ length: 30 }, (_, index) =>
      at(`c${index}`, { name: `c${index}`, tier: `t${index % 3}` }),
    );
    expect(clusterMap(many, {})).toMatchObject({ rows: 'tier', columns: 'name', moreColumns: 18, outside: 18 });
  });

  it('has one column if only one label is wanted or known, and none without clusters', () => {
    expect(clusterMap(FLEET, { rows: 'region', columns: '' })).toMatchObject({
      columnValues: [{ clusters: 5 }],
      cells: [{ clusters: 2 }, { clusters: 1 }, { clusters: 2 }],
    });
    expect(clusterMap([], {})).toMatchObject({ total: 0, labels: [], cells: [] });
    expect(clusterMap([at('a', {})], {})).toMatchObject({ rows: '', columns: '', cells: [{ clusters: 1 }] });
  });

  it('counts each cluster once, and each cell as many as its filter lists, whatever the labels are', () => {
    const text = fc.oneof(
      fc.constantFrom('a', 'b', ',', '=', '\\', '!', 'a=b,c', '__proto__'),
      fc.string({ maxLength: 4 }),
    );
    const fleet = fc.array(fc.dictionary(text, text, { maxKeys: 4 }), { maxLength: 80 });
    fc.assert(
      fc.property(fleet, text, text, (all, rows, columns) => {
        const clusters = all.map((labels, index) => at(`c${index}`, labels));
        const map = clusterMap(clusters, { rows, columns });
        expect(ClusterMap.safeParse({ ...map, asOf: '' }).success).toBe(true);
        const inside = map.cells.reduce((sum, one) => sum + one.clusters, 0);
        expect(inside + map.outside).toBe(clusters.length);
        for (const { row, column, clusters: count } of map.cells) {
          const wanted = [
            [map.rows, map.rowValues[row]?.value],
            [map.columns, map.columnValues[column]?.value],
          ] as const;
          const label = wanted
            .filter(([key]) => key !== '')
            .map(([key, value]) => filterValue(value === undefined ? withoutLabel(key) : labelText(key, value)))
            .join(',');
          const keep = label === '' ? () => true : matching({ label, offset: 0, limit: 200 }, clusterColumns);
          expect(clusters.filter(keep)).toHaveLength(count);
        }
      }),
    );
  });
});
