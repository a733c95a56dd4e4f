import type { ComponentChildren } from 'preact';
import { useCallback, useEffect, useReducer, useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { withQuery } from '../live/address.js';
import { type Query, useQuery } from '../live/query.js';
import { listen } from '../live/stream.js';
import { Windows } from '../live/windows.js';
import { Bones, Trouble } from '../parts/states.js';
import { CsvButton, type CsvColumns } from './csv-button.js';
import { Filters, NothingMatches } from './filters.js';
import { type Addressed, rowKey, type Selecting, useSelection } from './selection.js';
import { type Column, Table } from './table.js';

type ListProps<R> = Readonly<{
  label: string;
  /** One row, as `operator`. */
  noun: string;
  /** Several of them, if not with an `s`. */
  nouns?: string;
  /** The resource under `/api/v1/`. */
  resource: string;
  /** Query in addition to the address. */
  fixed?: Query;
  /** Keys of the address that filter the list. */
  filters: readonly string[];
  columns: readonly Column<R>[];
  /** The page of a row. */
  href: (row: R) => string;
  /** Shown if there is nothing, and no filter. */
  empty: ComponentChildren;
  /** The rows can be kept as a file with these columns. */
  csv?: CsvColumns<R>;
  onList?: (list: Windows<R>) => void;
  /** Rows can be ticked, and this be done with them; `asked`: the filter. */
  selected?: (selection: Selecting<R>, asked: Query) => ComponentChildren;
  /** Tells rows apart, if they have no `cluster` and `id`. */
  keyOf?: (row: R) => string;
}>;

const NOT_COUNTED: ReadonlySet<string> = new Set(['q', 'cause', 'deprecated', 'by', 'since', 'runs']);

/**
 * Returns the columns to count: only those offered as filters, because counts over all rows take the server
 * time.
 */
const countedOf = (filters: readonly string[]): string => filters.filter((key) => !NOT_COUNTED.has(key)).join();

/** A list of the server with its filters, order and place in the address. */
export function useWindows<R>(path: string): Windows<R> {
  const [, force] = useReducer((times: number) => times + 1, 0);
  const [windows, setWindows] = useState(() => new Windows<R>(path, () => force(undefined)));
  useEffect(() => {
    // The list before stays in sight until the new one has an answer.
    const show = () => {
      if (one.total !== undefined || one.refusal !== undefined) setWindows(one);
      force(undefined);
    };
    const one = windows.path === path ? windows : new Windows<R>(path, show);
    if (one.total !== undefined) setWindows(one);
    one.renew();
    const forget = listen((event) => one.receive(event));
    return () => {
      forget();
      one.end();
    };
  }, [path]);
  return windows;
}

/** A link may name a column of another list, or of an older console. */
function sortOf<R>(columns: readonly Column<R>[], wanted = ''): string {
  const name = wanted.replace(/^-/, '');
  return columns.some(({ sort }) => sort !== undefined && sort === name) ? wanted : '';
}

/** Renews a list when the key R is pressed outside of fields. */
function useRenewKey<R>(list: Windows<R>): void {
  useEffect(() => {
    const renew = (event: KeyboardEvent) => {
      if (event.key === 'R' && !(event.target as Element).matches('input, textarea, select')) list.renew();
    };
    addEventListener('keydown', renew);
    return () => removeEventListener('keydown', renew);
  }, [list]);
}

export function List<R>(props: ListProps<R>) {
  const { route } = useLocation();
  const [query, change] = useQuery();
  const named = { noun: props.noun, nouns: props.nouns ?? `${props.noun}s` };
  const asked = Object.fromEntries(props.filters.flatMap((key) => (query[key] ? [[key, query[key]]] : [])));
  const sort = sortOf(props.columns, query['sort']);
  const path = withQuery(props.resource, { ...asked, ...props.fixed, sort, facets: countedOf(props.filters) });
  const list = useWindows<R>(path);
  useEffect(() => props.onList?.(list), [list, list.total, list.asOf]);
  const keyOf = props.keyOf ?? ((row: R) => rowKey(row as R & Addressed));
  const selection = useSelection<R>(withQuery(props.resource, asked), list.total ?? 0, keyOf);
  const isSelecting = selection.count > 0;
  useEffect(() => {
    list.held = isSelecting;
  }, [list, isSelecting]);
  const onSight = useCallback((first: number, last: number) => list.show(first, last), [list]);
  useRenewKey(list);
  return (
    <>
      <Filters
        keys={props.filters}
        {...named}
        total={list.total}
        facets={list.facets}
        waiting={list.waiting}
        renew={list.renew}
        file={
          props.csv &&
          (list.total ?? 0) > 0 && (
            <CsvButton<R>
              name={props.resource}
              resource={props.resource}
              query={{ ...asked, ...props.fixed, sort }}
              columns={props.csv}
            />
          )
        }
      />
      {props.selected?.(selection, asked)}
      {list.refusal && <Trouble refusal={list.refusal} since={list.failingSince} renew={list.renew} />}
      {list.total === undefined && !list.refusal && <Bones />}
      {list.total === 0 && (Object.keys(asked).length > 0 ? <NothingMatches {...named} /> : props.empty)}
      {list.total !== undefined && list.total > 0 && (
        <Table
          label={props.label}
          columns={props.columns}
          total={list.total}
          row={(index) => list.row(index)}
          {...{ sort, onSight }}
          selection={props.selected && selection}
          onSort={(to) => change({ sort: to }, true)}
          onOpen={(row) => route(props.href(row))}
          onHold={(held) => {
            list.held = held || isSelecting;
          }}
        />
      )}
    </>
  );
}
