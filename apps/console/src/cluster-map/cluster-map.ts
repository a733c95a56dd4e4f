import type { ClusterRow } from '#core/view/rows/rows';
import type { ClusterMap, ClusterMapQuery } from '../api/pictures.schema.js';
import { byText } from '../rows/sorted-rows.js';

const MOST_LABELS = 50;
const MOST_ROWS = 40;
const MOST_COLUMNS = 12;
/** A label with more values than this does not divide clusters, but names them. */
const MANY_VALUES = 20;

type Label = ClusterMap['labels'][number];
type Cell = ClusterMap['cells'][number];
/** Values of one label, and the place of each. */
type Axis = Readonly<{
  values: ClusterMap['rowValues'];
  more: number;
  placeOf: (row: ClusterRow) => number | undefined;
}>;

/** Returns the clusters by the values of two labels, with the states of those in each cell. */
export function clusterMap(clusters: readonly ClusterRow[], asked: ClusterMapQuery): Omit<ClusterMap, 'asOf'> {
  const labels = labelsOf(clusters);
  const rows = asked.rows ?? labels[0]?.key ?? '';
  const columns = asked.columns ?? labels.find(({ key }) => key !== rows)?.key ?? '';
  const down = axisOf(clusters, rows, MOST_ROWS);
  const across = axisOf(clusters, columns, MOST_COLUMNS);
  const cells = cellsOf(clusters, down, across);
  const inside = cells.reduce((sum, one) => sum + one.clusters, 0);
  return {
    ...{ total: clusters.length, labels: labels.slice(0, MOST_LABELS), rows, columns, cells },
    ...{ rowValues: down.values, columnValues: across.values, moreRows: down.more, moreColumns: across.more },
    moreLabels: Math.max(0, labels.length - MOST_LABELS),
    outside: clusters.length - inside,
  };
}

/** Labels, those that divide the clusters best first: with some values, on most clusters. */
function labelsOf(clusters: readonly ClusterRow[]): readonly Label[] {
  const known = new Map<string, { values: Set<string>; clusters: number }>();
  for (const { labels } of clusters) {
    for (const [key, value] of Object.entries(labels)) {
      const one = known.get(key) ?? { values: new Set<string>(), clusters: 0 };
      known.set(key, one);
      one.values.add(value);
      one.clusters += 1;
    }
  }
  const divides = ({ values }: Label) => values > 1 && values <= MANY_VALUES;
  return [...known]
    .map(([key, { values, clusters: of }]) => ({ key, values: values.size, clusters: of }))
    .toSorted((a, b) => Number(divides(b)) - Number(divides(a)) || b.clusters - a.clusters || byText(a.key, b.key));
}

/** Without a key all clusters have one place. */
function axisOf(clusters: readonly ClusterRow[], key: string, most: number): Axis {
  if (key === '') return { values: [{ clusters: clusters.length }], more: 0, placeOf: () => 0 };
  const labelOf = ({ labels }: ClusterRow) => (Object.hasOwn(labels, key) ? labels[key] : undefined);
  const counts = new Map<string | undefined, number>();
  for (const row of clusters) counts.set(labelOf(row), (counts.get(labelOf(row)) ?? 0) + 1);
  const all = [...counts].map(([value, of]) => ({ ...(value !== undefined && { value }), clusters: of }));
  const values = all
    .toSorted((a, b) => b.clusters - a.clusters || byText(a.value ?? '', b.value ?? ''))
    .slice(0, most)
    .toSorted(
      (a, b) => Number(a.value === undefined) - Number(b.value === undefined) || byText(a.value ?? '', b.value ?? ''),
    );
  const places = new Map(values.map(({ value }, place) => [value, place]));
  return { values, more: all.length - values.length, placeOf: (row) => places.get(labelOf(row)) };
}

function cellsOf(clusters: readonly ClusterRow[], down: Axis, across: Axis): Cell[] {
  const cells = new Map<number, Cell>();
  for (const cluster of clusters) {
    const [row, column] = [down.placeOf(cluster), across.placeOf(cluster)];
    if (row === undefined || column === undefined) continue;
    const place = row * MOST_COLUMNS + column;
    const none = { failed: 0, blocked: 0, 'needs-approval': 0, 'under-way': 0, well: 0 };
    const cell = cells.get(place) ?? { row, column, clusters: 0, counts: none, away: 0 };
    cells.set(place, cell);
    cell.clusters += 1;
    cell.counts[cluster.standing] += 1;
    if (cluster.reach === 'away') cell.away += 1;
  }
  return [...cells.values()].toSorted((a, b) => a.row - b.row || a.column - b.column);
}
