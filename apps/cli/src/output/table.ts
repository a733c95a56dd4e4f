import { cutTo, displayWidth, padded } from '../terminal/display-width.js';

/** Columns in order: heading, and the text of a cell. Those that a user adds are `whole`: never cut. */
export type Columns<Row> = readonly (readonly [heading: string, cell: (row: Row) => string, fit?: 'whole'])[];

const GAP = 2;
/** A column is never cut to less than this: a terminal that is narrower yet wraps the lines. */
const NARROWEST = 8;
/** Columns that are never cut: people copy their values. */
const WHOLE: ReadonlySet<string> = new Set(['CLUSTER', 'NAMESPACE', 'NAME']);
/** Columns that are left out, in this order, before others are cut too far. */
const LEFT_OUT = ['RELEASE', 'REPLACES', 'DISPLAY', 'PUBLISHER'] as const;

/**
 * A table with two blanks between columns, and none at the end of a line. If `width` is given, that of a
 * terminal, minor columns are left out and the widest are cut until the lines fit. Names are whole.
 */
export function table<Row>(rows: readonly Row[], all: Columns<Row>, width?: number): string {
  const columns = width === undefined ? all : fittingColumns(rows, all, width);
  const lines = [columns.map(([heading]) => heading), ...rows.map((row) => columns.map(([, cell]) => cell(row)))];
  const natural = columns.map((_, column) =>
    lines.reduce((widest, cells) => Math.max(widest, displayWidth(cells[column] ?? '')), 0),
  );
  const widths = width === undefined ? natural : fitting(natural, columns, width);
  return lines.map((cells) => `${lineOf(cells, widths)}\n`).join('');
}

const lineOf = (cells: readonly string[], widths: readonly number[]): string =>
  cells
    .map((cell, column) => padded(cutTo(cell, widths[column] ?? 0), widths[column] ?? 0))
    .join(' '.repeat(GAP))
    .trimEnd();

const naturalWidth = <Row>(rows: readonly Row[], [heading, cell]: Columns<Row>[number]): number =>
  rows.reduce((widest, row) => Math.max(widest, displayWidth(cell(row))), displayWidth(heading));

const isNeverCut = ([heading, , fit]: Readonly<[string, unknown, 'whole'?]>): boolean =>
  fit === 'whole' || WHOLE.has(heading);

const isLeftOut = ([heading]: Readonly<[string, unknown, 'whole'?]>): boolean =>
  LEFT_OUT.some((one) => one === heading);

/** Leaves out minor columns until the names fit next to the others. */
function fittingColumns<Row>(rows: readonly Row[], all: Columns<Row>, width: number): Columns<Row> {
  if (!all.some(isLeftOut)) return all;
  const natural = new Map(all.map((column) => [column, naturalWidth(rows, column)]));
  const leastWidth = (columns: Columns<Row>) =>
    columns.reduce((sum, column) => {
      const own = natural.get(column) ?? 0;
      return sum + (isNeverCut(column) ? own : Math.min(own, NARROWEST + GAP)) + GAP;
    }, -GAP);
  const isEmpty = ([, cell]: Columns<Row>[number]) => rows.every((row) => cell(row) === '');
  const isTooWide = [...natural.values()].reduce((sum, one) => sum + one + GAP, -GAP) > width;
  let columns = isTooWide ? all.filter((one) => !(isLeftOut(one) && isEmpty(one))) : all;
  for (const heading of LEFT_OUT) {
    if (leastWidth(columns) <= width) break;
    columns = columns.filter(([one]) => one !== heading);
  }
  return columns;
}

/** The widths of columns that fit a line: the widest that may be cut are cut to one and the same width. */
function fitting<Row>(natural: readonly number[], columns: Columns<Row>, width: number): readonly number[] {
  const isWhole = columns.map(isNeverCut);
  const capped = (cap: number) => natural.map((one, at) => (isWhole[at] === true ? one : Math.min(one, cap)));
  const sum = (widths: readonly number[]) => widths.reduce((total, one) => total + one, 0);
  const inLine = width - GAP * (natural.length - 1);
  // Columns that a user added and that cannot fit continue in the next line; the others fill one line.
  const added = sum(natural.map((one, at) => (columns[at]?.[2] === 'whole' ? one + GAP : 0)));
  const room = sum(capped(NARROWEST)) <= inLine ? inLine : inLine + added;
  let cap = Math.max(NARROWEST, ...natural);
  while (cap > NARROWEST && sum(capped(cap)) > room) cap -= 1;
  return capped(cap);
}
