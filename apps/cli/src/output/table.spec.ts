import { describe, expect, it } from 'vitest';
import { displayWidth } from '../terminal/display-width.js';
import { type Columns, table } from './table.js';

type Row = Readonly<{ name: string; text: string; last: string }>;
const columns: Columns<Row> = [
  ['NAME', ({ name }) => name],
  ['TEXT', ({ text }) => text],
  ['LAST', ({ last }) => last],
];

describe('a table', () => {
  it('has no blanks at the end of a line', () => {
    expect(table([{ name: 'a', text: 'b', last: '' }], columns)).toBe('NAME  TEXT  LAST\na     b\n');
  });

  it('aligns what stands behind ideographs and emoji', () => {
    const rows = [
      { name: '日本', text: 'x', last: '1' },
      { name: '🚀ab', text: 'y', last: '2' },
    ];
    expect(table(rows, columns)).toBe('NAME  TEXT  LAST\n日本  x     1\n🚀ab  y     2\n');
  });

  it('cuts the widest columns to the width of a terminal, and none that is narrow', () => {
    const rows = [{ name: 'harbor', text: 'x'.repeat(50), last: 'y'.repeat(100) }];
    const lines = table(rows, columns, 40).trimEnd().split('\n');
    expect(lines).toEqual(['NAME    TEXT             LAST', `harbor  ${'x'.repeat(14)}…  ${'y'.repeat(14)}…`]);
    for (const line of lines) expect(displayWidth(line)).toBeLessThanOrEqual(40);
  });

  it('cuts no column that the user asked for', () => {
    const long = 'team=of-the-harbour';
    const asked: Columns<string> = [
      ['NAME', () => 'harbor'],
      ['CHANNEL', () => 'stable-for-all-of-the-year'],
      ['LABELS', (row) => row, 'whole'],
    ];
    expect(table([long], asked, 40)).toContain(`harbor  stable-for…  ${long}\n`);
    expect(table(['x'.repeat(60)], asked, 40)).toContain(`harbor  stable-for-all-of-the-year  ${'x'.repeat(60)}\n`);
  });

  it('is whole where no width is given, as in a pipe, and where it fits', () => {
    const rows = [{ name: 'harbor', text: 'x'.repeat(500), last: '' }];
    expect(table(rows, columns)).toContain('x'.repeat(500));
    expect(table(rows, columns, 600)).toBe(table(rows, columns));
  });

  it('leaves something of every column where a terminal is too narrow for it', () => {
    const rows = [{ name: 'harbor', text: 'x'.repeat(50), last: 'y'.repeat(50) }];
    expect(table(rows, columns, 10)).toContain(`harbor  ${'x'.repeat(7)}…  ${'y'.repeat(7)}…`);
  });

  const csv = { cluster: 'kind-a', namespace: 'harbors', name: 'lighthouse-operator.v1.1.0' };
  const rest = { display: 'Lighthouse', version: '1.1.0', release: '', replaces: 'lighthouse-operator.v1.0.0' };
  const csvColumns: Columns<typeof csv & typeof rest> = [
    ...(['cluster', 'namespace', 'name', 'display', 'version', 'release', 'replaces'] as const).map(
      (key) => [key.toUpperCase(), (row: typeof csv & typeof rest) => row[key]] as const,
    ),
    ['PHASE', () => 'Succeeded'],
  ];
  it.each([
    [200, 'CLUSTER NAMESPACE NAME DISPLAY VERSION RELEASE REPLACES PHASE'],
    [100, 'CLUSTER NAMESPACE NAME DISPLAY VERSION REPLACES PHASE'],
    [80, 'CLUSTER NAMESPACE NAME DISPLAY VERSION PHASE'],
    [70, 'CLUSTER NAMESPACE NAME VERSION PHASE'],
    [20, 'CLUSTER NAMESPACE NAME VERSION PHASE'],
  ])('keeps names whole at %i columns', (width, headings) => {
    const [first = '', second = ''] = table([{ ...csv, ...rest }], csvColumns, width).split('\n');
    expect(first.split(/ +/).join(' ')).toBe(headings);
    expect(second).toContain(csv.name);
    if (width >= 70) expect(displayWidth(second)).toBeLessThanOrEqual(width);
  });

  it('of very many rows is made', () => {
    const rows = Array.from({ length: 200_000 }, (_, index) => ({ name: String(index), text: '', last: '' }));
    expect(table(rows, columns).split('\n')).toHaveLength(200_002);
  });
});
