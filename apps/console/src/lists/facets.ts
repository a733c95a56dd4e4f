import type { Clock } from '#platform/clock/clock.port';
import type { ListQuery } from '../api/lists.schema.js';
import { FILTERS, type RowColumns } from './filter.js';

/** The columns with counted values. */
const FACETS = [
  ...(['cluster', 'namespace', 'package', 'standing', 'reach'] as const),
  ...(['catalog', 'channel', 'version', 'api', 'label', 'change', 'risk'] as const),
];
const MOST_VALUES = 50;

type FacetValue = { value: string; count: number };
export type Facets = Record<string, FacetValue[]>;

/** The columns that a query wants counted; `true`: all that there are. */
const wantedFacets = ({ facets = '' }: Pick<ListQuery, 'facets'>): readonly string[] =>
  facets === 'true' ? FACETS : FACETS.filter((name) => facets.split(',').includes(name));

/** The facets of a query that its list does not have. */
export const unknownFacets = <R>({ facets }: Pick<ListQuery, 'facets'>, columns: RowColumns<R>): string[] =>
  facets === undefined || facets === 'true' || facets === 'false'
    ? []
    : facets.split(',').filter((name) => !(FACETS as readonly string[]).includes(name) || columns[name] === undefined);

/** For each column the number of rows with each value, the most frequent first. */
function facetsOf<R>(rows: readonly R[], columns: RowColumns<R>, names: readonly string[] = FACETS): Facets {
  const facets: Facets = {};
  for (const name of names) {
    const column = columns[name];
    if (column !== undefined) facets[name] = countsOf(rows, column);
  }
  return facets;
}

function countsOf<R>(rows: readonly R[], column: RowColumns<R>[string]): FacetValue[] {
  const counts = new Map<string, FacetValue>();
  let last: FacetValue | undefined;
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
    const value = column(row);
    if (typeof value === 'string') add(value);
    else if (Array.isArray(value)) for (const one of new Set<string>(value)) add(one);
    else add(String(value));
  }
  return [...counts.values()]
    .toSorted((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1))
    .slice(0, MOST_VALUES);
}

/** Pages ask again this long after a change: their counts are never older than the last change they saw. */
export const FACETS_KEPT_MS = 2_000;
const MOST_KEPT = 200;

type Kept = Readonly<{ facets: Facets; version: number; at: number }>;
export type FacetQuestion = Readonly<{
  /** Equal for people who see the same. */
  rights: string;
  list: string;
  /** Version of the rows: another number, other rows. */
  version: number;
  query: ListQuery;
}>;

/** Counts of values are of all rows that match: they are made at most every two seconds for each filter. */
export class KeptFacets {
  readonly #kept = new Map<string, Kept>();

  constructor(private readonly clock: Pick<Clock, 'now'>) {}

  /** Returns undefined if the query wants none. */
  of<R>(question: FacetQuestion, columns: RowColumns<R>, rows: () => readonly R[]): Facets | undefined {
    const { rights, list, version, query } = question;
    const names = wantedFacets(query);
    if (query.facets === undefined || names.length === 0) return undefined;
    const filter = [...FILTERS, 'q' as const, 'since' as const].map((name) => query[name] ?? null);
    const key = JSON.stringify([rights, list, names, filter]);
    const now = this.clock.now().getTime();
    const before = this.#kept.get(key);
    const isFresh = before !== undefined && (before.version === version || now - before.at < FACETS_KEPT_MS);
    if (isFresh && now >= before.at) return before.facets;
    const facets = facetsOf(rows(), columns, names);
    this.#kept.delete(key);
    this.#kept.set(key, { facets, version, at: now });
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > MOST_KEPT && oldest !== undefined) this.#kept.delete(oldest);
    return facets;
  }
}
