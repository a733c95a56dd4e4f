import { filterValues } from '#core/kernel/text/filter-values';
import { hasLabels, labelText } from '#core/kernel/text/label-filter';
import { runningBundle } from '#core/view/questions/running-bundle';
import type { CatalogRow, ClusterRow, OperatorRow, PlanRow, RowCause } from '#core/view/rows/rows';
import type { ListedChange, ListQuery } from '../api/lists.schema.js';
import { hasAllWords } from './words.js';

/** Values of a row's columns, for filters, facets and orders. */
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
  label: (row) => Object.entries(row.labels).map(([key, value]) => labelText(key, value)),
  cause: causeKey,
  since: (row) => row.since,
  lastSeen: (row) => row.lastSeen,
  updatedAt: (row) => row.updatedAt,
  operators: (row) => Object.values(row.counts).reduce((sum, count) => sum + count, 0),
  catalogs: (row) => row.catalogs,
};

export const operatorColumns: RowColumns<OperatorRow> = {
  id: (row) => row.id,
  cluster: (row) => row.cluster,
  namespace: (row) => row.namespace,
  name: (row) => row.name,
  package: (row) => row.package,
  standing: (row) => row.standing,
  catalog: (row) => row.catalog,
  channel: (row) => row.channel,
  version: (row) => row.version,
  installed: (row) => row.installed,
  runs: runningBundle,
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
  id: (row) => row.id,
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
  id: (row) => row.id,
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

export const historyColumns: RowColumns<ListedChange> = {
  cluster: (row) => row.cluster,
  namespace: (row) => row.namespace,
  package: (row) => row.package,
  hash: (row) => row.hash ?? '',
  kind: (row) => row.kind,
  by: (row) => row.by,
  since: (row) => row.at,
  at: (row) => row.at,
};

export const FILTERS = [
  ...(['cluster', 'namespace', 'package', 'standing', 'reach', 'catalog', 'channel', 'version'] as const),
  ...(['api', 'digest', 'hash', 'cause', 'by', 'phase', 'kind', 'deprecated'] as const),
  ...(['id', 'about', 'runs', 'moving', 'label', 'change', 'risk'] as const),
];

/** Filters with one value: a comma in it separates nothing. */
const WITH_ONE_VALUE: ReadonlySet<string> = new Set(['cause', 'id', 'about']);

/** The filters of a query that a list does not have. */
export const unknownFilters = <R>(query: ListQuery, columns: RowColumns<R>): string[] =>
  FILTERS.filter((name) => query[name] !== undefined && columns[name] === undefined);

type ColumnValue = ReturnType<RowColumns<never>[string]>;

/** Most columns have one value: a fleet has many rows, and an array for each of them takes time. */
const hasOneOf = (value: ColumnValue, wanted: ReadonlySet<string>): boolean =>
  Array.isArray(value) ? value.some((one) => wanted.has(one)) : wanted.has(String(value));

/** Matches every row: the answer of {@link matching} if nothing is filtered. */
export const everyRow = (): boolean => true;

/** True if a row matches: one of the values of every filter, and all words. */
export function matching<R>(query: ListQuery, columns: RowColumns<R>): (row: R) => boolean {
  const tests: ((row: R) => boolean)[] = [];
  for (const name of FILTERS) {
    const [wanted, column] = [query[name], columns[name]];
    if (wanted === undefined || column === undefined) continue;
    if (name === 'label') {
      const isLabelled = hasLabels(filterValues(wanted));
      tests.push((row) => isLabelled(row as Pick<ClusterRow, 'labels'>));
      continue;
    }
    const values = new Set(WITH_ONE_VALUE.has(name) ? [wanted] : filterValues(wanted));
    tests.push((row) => hasOneOf(column(row), values));
  }
  const { since } = query;
  const at = columns['since'];
  if (since !== undefined && at !== undefined) tests.push((row) => String(at(row)) >= since);
  const words = hasAllWords<R>(query.q ?? '');
  if (words !== undefined) tests.push(words);
  return tests.length === 0 ? everyRow : (row) => tests.every((test) => test(row));
}

type Range = Readonly<{ offset: number; limit: number }>;

/**
 * A part of the rows in the order that a query asks for, those with equal values as they lay. A column has
 * few values and a fleet many rows: the values are sorted, not the rows.
 */
export function sortedBy<R>(
  rows: readonly R[],
  sort: string | undefined,
  columns: RowColumns<R>,
  { offset, limit }: Range = { offset: 0, limit: rows.length },
): readonly R[] {
  const column = sort === undefined ? undefined : columns[sort.replace(/^-/, '')];
  if (sort === undefined || column === undefined) return rows.slice(offset, offset + limit);
  const sortValue = (row: R) => {
    const value = column(row);
    // As `<` compares lists of texts.
    return Array.isArray(value) ? value.join() : (value as string | number | boolean);
  };
  const byValue = Map.groupBy(rows, sortValue);
  const values = [...byValue.keys()].toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  if (sort.startsWith('-')) values.reverse();
  const found: R[] = [];
  let before = 0;
  for (const value of values) {
    const own = byValue.get(value) ?? [];
    for (let at = Math.max(0, offset - before); at < own.length && found.length < limit; at += 1)
      found.push(own[at] as R);
    if (found.length === limit) break;
    before += own.length;
  }
  return found;
}
