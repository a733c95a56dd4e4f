import type { HistoryEntry } from '#core/fleet/view/history-entry';
import type { CatalogRow, ClusterRow, OperatorRow, PlanRow, RowCause } from '#core/fleet/view/rows';
import type { ListQuery } from '../api/lists.schema.js';

/** What a column of a row says, for filters, facets and orders. */
export type RowColumns<R> = Readonly<Record<string, (row: R) => string | readonly string[] | number | boolean>>;

type Caused = Readonly<{ cause?: RowCause | undefined }>;

/** Names equal causes, for addresses: a catalog that failed, and an operator that it blocks, have one. */
export const causeKey = ({ cause }: Caused): string =>
  cause === undefined ? '' : `${cause.code}/${cause.kind}/${cause.names.join('+')}`.slice(0, 1_000);

export const clusterColumns: RowColumns<ClusterRow> = {
  cluster: (row) => row.cluster,
  standing: (row) => row.standing,
  reach: (row) => row.reach,
  version: (row) => row.version,
  cause: causeKey,
  since: (row) => row.since,
  lastSeen: (row) => row.lastSeen,
  updatedAt: (row) => row.updatedAt,
  operators: (row) => Object.values(row.counts).reduce((sum, count) => sum + count, 0),
  catalogs: (row) => row.catalogs,
};

export const operatorColumns: RowColumns<OperatorRow> = {
  cluster: (row) => row.cluster,
  namespace: (row) => row.namespace,
  name: (row) => row.name,
  package: (row) => row.package,
  standing: (row) => row.standing,
  catalog: (row) => row.catalog,
  channel: (row) => row.channel,
  version: (row) => row.version,
  installed: (row) => row.installed,
  newest: (row) => row.newest,
  next: (row) => row.next,
  api: (row) => row.api,
  approval: (row) => row.approval,
  hash: (row) => row.planHash,
  cause: causeKey,
  deprecated: (row) => String(row.deprecated),
  since: (row) => row.since,
  updatedAt: (row) => row.updatedAt,
};

export const planColumns: RowColumns<PlanRow> = {
  cluster: (row) => row.cluster,
  namespace: (row) => row.namespace,
  name: (row) => row.name,
  package: (row) => row.moves.map((move) => move.package),
  hash: (row) => row.hash,
  change: (row) => row.change,
  phase: (row) => row.phase,
  by: (row) => row.approvedBy,
  since: (row) => row.createdAt,
  createdAt: (row) => row.createdAt,
};

export const catalogColumns: RowColumns<CatalogRow> = {
  cluster: (row) => row.cluster,
  namespace: (row) => row.namespace,
  name: (row) => row.name,
  catalog: (row) => [row.namespace === '' ? row.name : `${row.namespace}/${row.name}`, row.name],
  digest: (row) => row.digest,
  standing: (row) => row.standing,
  state: (row) => row.state,
  image: (row) => row.image,
  cause: causeKey,
  packages: (row) => row.packages,
};

export const historyColumns: RowColumns<HistoryEntry> = {
  cluster: (row) => row.cluster,
  namespace: (row) => row.namespace,
  package: (row) => row.package,
  kind: (row) => row.kind,
  by: (row) => row.by,
  since: (row) => row.at,
  at: (row) => row.at,
};

const FILTERS = [
  ...(['cluster', 'namespace', 'package', 'standing', 'reach', 'catalog', 'channel', 'version'] as const),
  ...(['api', 'digest', 'hash', 'cause', 'by', 'deprecated'] as const),
];

/** The filters of a query that a list does not have. */
export const unknownFilters = <R>(query: ListQuery, columns: RowColumns<R>): string[] =>
  FILTERS.filter((name) => query[name] !== undefined && columns[name] === undefined);

type ColumnValue = ReturnType<RowColumns<never>[string]>;

/** Most columns have one value: a fleet has many rows, and an array for each of them takes time. */
const hasOneOf = (value: ColumnValue, wanted: ReadonlySet<string>): boolean =>
  Array.isArray(value) ? value.some((one) => wanted.has(one)) : wanted.has(String(value));

/** Words are looked for in every text of the row that people read. */
function haystack<R>(row: R): string {
  const shown = row as Readonly<Record<string, unknown>> & Readonly<{ cause?: RowCause }>;
  const texts = ['cluster', 'namespace', 'name', 'package', 'catalog', 'image', 'installed', 'comment', 'by']
    .map((key) => shown[key])
    .filter((value) => typeof value === 'string');
  const moves = Array.isArray(shown['moves']) ? JSON.stringify(shown['moves']) : '';
  return `${texts.join('\n')}\n${shown.cause?.text ?? ''}\n${moves}`.toLowerCase();
}

/** What {@link matching} answers where nothing is filtered. */
export const everyRow = (): boolean => true;

/** Whether a row matches: one of the values of every filter, and all words. */
export function matching<R>(query: ListQuery, columns: RowColumns<R>): (row: R) => boolean {
  const tests: ((row: R) => boolean)[] = [];
  for (const name of FILTERS) {
    const [wanted, column] = [query[name], columns[name]];
    if (wanted === undefined || column === undefined) continue;
    const values = new Set(name === 'cause' ? [wanted] : wanted.split(','));
    tests.push((row) => hasOneOf(column(row), values));
  }
  const { since } = query;
  const at = columns['since'];
  if (since !== undefined && at !== undefined) tests.push((row) => String(at(row)) >= since);
  const words = (query.q ?? '').toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length > 0)
    tests.push((row) => {
      const text = haystack(row);
      return words.every((word) => text.includes(word));
    });
  return tests.length === 0 ? everyRow : (row) => tests.every((test) => test(row));
}

const FACETS = [
  'cluster',
  'namespace',
  'package',
  'standing',
  'reach',
  'catalog',
  'channel',
  'version',
  'api',
] as const;
const MOST_VALUES = 50;

/** For each column the number of rows with each value, the most frequent first. */
export function facetsOf<R>(
  rows: readonly R[],
  columns: RowColumns<R>,
): Record<string, { value: string; count: number }[]> {
  const facets: Record<string, { value: string; count: number }[]> = {};
  for (const name of FACETS) {
    const column = columns[name];
    if (column === undefined) continue;
    const counts = new Map<string, { value: string; count: number }>();
    let last: { value: string; count: number } | undefined;
    const add = (value: string) => {
      // Rows that lie side by side are mostly alike.
      if (last === undefined || last.value !== value) last = counts.get(value);
      if (last !== undefined) last.count += 1;
      else {
        last = { value, count: 1 };
        counts.set(value, last);
      }
    };
    for (const row of rows) {
      const value: ColumnValue = column(row);
      if (Array.isArray(value)) for (const one of new Set<string>(value)) add(one);
      else add(String(value));
    }
    facets[name] = [...counts.values()]
      .toSorted((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1))
      .slice(0, MOST_VALUES);
  }
  return facets;
}

/**
 * The rows in the order that a query asks for, those with equal values as they lay. A column has few values
 * and a fleet many rows: the values are sorted, not the rows.
 */
export function sortedBy<R>(rows: readonly R[], sort: string | undefined, columns: RowColumns<R>): readonly R[] {
  const column = sort === undefined ? undefined : columns[sort.replace(/^-/, '')];
  if (sort === undefined || column === undefined) return rows;
  const byValue = Map.groupBy(rows, (row) => {
    const value = column(row);
    // As `<` compares lists of texts.
    return Array.isArray(value) ? value.join() : (value as string | number | boolean);
  });
  const values = [...byValue.keys()].toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  if (sort.startsWith('-')) values.reverse();
  return values.flatMap((value) => byValue.get(value) ?? []);
}
