import { describe, expect, it } from 'vitest';
import type { OperatorRow } from '#core/view/rows/rows';
import { operatorRow } from '../console.fixture.js';
import { operatorColumns, sortedBy } from '../lists/filter.js';
import { fleetSummary } from '../lists/fleet-summary.js';
import { packageSpreads } from '../lists/packages.js';
import { FleetOrders } from './fleet-rows.js';

const STANDINGS = ['well', 'failed', 'needs-approval', 'well', 'blocked', 'under-way', 'well'] as const;
const fleet = (size: number): OperatorRow[] =>
  Array.from({ length: size }, (_, at) =>
    operatorRow(`ship-${at % 7}`, `lamp-${at % 3}`, {
      id: `subscription/a/${at}`,
      version: `1.${at % 5}.0`,
      standing: STANDINGS[at % STANDINGS.length] ?? 'well',
    }),
  );

describe('answers over many rows', () => {
  it.each(['version', '-version', 'standing', '-cluster'])('are sorted by %s, equal values as they lay', (sort) => {
    const rows = fleet(60);
    const column = operatorColumns[sort.replace('-', '')] ?? String;
    const sign = sort.startsWith('-') ? -1 : 1;
    const wanted = rows.toSorted((a, b) => (column(a) < column(b) ? -sign : column(a) > column(b) ? sign : 0));
    expect(sortedBy(rows, sort, operatorColumns)).toEqual(wanted);
    for (const [offset, limit] of [
      [0, 7],
      [11, 20],
      [55, 20],
      [70, 5],
    ] as const)
      expect(sortedBy(rows, sort, operatorColumns, { offset, limit })).toEqual(wanted.slice(offset, offset + limit));
  });

  it.each([0, 1, 7, 50])('count the standings of %i operators as a count of each does', (size) => {
    const rows = fleet(size);
    const { counts } = fleetSummary(new FleetOrders(rows).rows);
    const wanted = Object.fromEntries(
      Object.keys(counts).map((standing) => [standing, rows.filter((row) => row.standing === standing).length]),
    );
    expect(counts).toEqual(wanted);
  });

  it('have the spread of a package as it is after a row of it changed', () => {
    const rows = fleet(60);
    const orders = new FleetOrders(rows);
    const before = packageSpreads(orders.rows);
    expect(before.map((one) => [one.package, one.operators])).toEqual([
      ['lamp-0', 20],
      ['lamp-1', 20],
      ['lamp-2', 20],
    ]);
    const [row] = rows;
    if (row === undefined) throw new Error('no row');
    orders.change(row, 'remove');
    orders.change({ ...row, installed: 'lamp-0.v9', version: '9.0.0' }, 'add');
    const after = packageSpreads(orders.rows);
    expect(after).toEqual(packageSpreads(orders.rows, () => true));
    expect(after[0]?.versions.map(({ version }) => version)).toContain('9.0.0');
    expect(after[1]).toBe(before[1]);
  });
});
