import type { ComponentChildren } from 'preact';
import { useCallback, useEffect, useReducer, useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { type Query, useQuery, withQuery } from '../live/address.js';
import { listen } from '../live/stream.js';
import { count, counted } from '../live/times.js';
import { Windows } from '../live/windows.js';
import { Bones, Empty, Trouble } from '../parts/states.js';
import { CsvButton, type CsvColumns } from './csv-button.js';
import { type Addressed, type Selecting, useSelection } from './selection.js';
import { type Column, Table } from './table.js';

type ListProps<R> = Readonly<{
  label: string;
  /** One row, as `operator`. */
  noun: string;
  /** The resource under `/api/v1/`. */
  resource: string;
  /** What is asked besides what the address says. */
  fixed?: Query;
  /** Keys of the address that filter the list. */
  filters: readonly string[];
  columns: readonly Column<R>[];
  /** The page of a row. */
  href: (row: R) => string;
  /** Shown where there is nothing, and no filter. */
  empty: ComponentChildren;
  /** The rows can be kept as a file with these columns. */
  csv?: CsvColumns<R>;
  onList?: (list: Windows<R>) => void;
  /** Rows can be ticked, and this be done with them; `asked`: the filter. */
  selected?: (selection: Selecting<R & Addressed>, asked: Query) => ComponentChildren;
}>;

const NOT_COUNTED: ReadonlySet<string> = new Set(['q', 'cause', 'deprecated', 'by', 'since']);

/** What is counted over all rows takes the server time: the columns alone that are offered as filters. */
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

export function List<R>(props: ListProps<R>) {
  const { route } = useLocation();
  const [query, change] = useQuery();
  const asked = Object.fromEntries(props.filters.flatMap((key) => (query[key] ? [[key, query[key]]] : [])));
  const sort = sortOf(props.columns, query['sort']);
  const path = withQuery(props.resource, { ...asked, ...props.fixed, sort, facets: countedOf(props.filters) });
  const list = useWindows<R>(path);
  useEffect(() => props.onList?.(list), [list, list.total, list.asOf]);
  const selection = useSelection<R & Addressed>(withQuery(props.resource, asked), list.total ?? 0);
  const isSelecting = selection.count > 0;
  useEffect(() => {
    list.held = isSelecting;
  }, [list, isSelecting]);
  const onSight = useCallback((first: number, last: number) => list.show(first, last), [list]);
  useEffect(() => {
    const renew = (event: KeyboardEvent) => {
      if (event.key === 'R' && !(event.target as Element).matches('input, textarea, select')) list.renew();
    };
    addEventListener('keydown', renew);
    return () => removeEventListener('keydown', renew);
  }, [list]);
  return (
    <>
      <Filters
        keys={props.filters}
        noun={props.noun}
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
      {list.total === 0 &&
        (Object.keys(asked).length > 0 ? <NothingMatches asked={asked} noun={props.noun} /> : props.empty)}
      {list.total !== undefined && list.total > 0 && (
        <Table
          label={props.label}
          columns={props.columns}
          total={list.total}
          row={(index) => list.row(index)}
          {...{ sort, onSight }}
          selection={props.selected && (selection as Selecting<R>)}
          onSort={(to) => change({ sort: to })}
          onOpen={(row) => route(props.href(row))}
          onHold={(held) => {
            list.held = held || isSelecting;
          }}
        />
      )}
    </>
  );
}

/** Which filter leaves nothing, and one click to drop each part of it. */
function NothingMatches({ asked, noun }: { asked: Query; noun: string }) {
  const [, change] = useQuery();
  return (
    <Empty title={`No ${noun} matches.`}>
      <p class="chips">
        {Object.entries(asked).map(([key, value]) => (
          <button key={key} type="button" class="chip" onClick={() => change({ [key]: undefined })}>
            {key === 'q' ? 'words' : (TITLES[key] ?? key).toLowerCase()}: {value} <span aria-hidden="true">×</span>
            <span class="hidden">, remove</span>
          </button>
        ))}
      </p>
    </Empty>
  );
}

type FiltersProps = {
  keys: readonly string[];
  noun: string;
  total: number | undefined;
  facets: Facets;
  waiting: number;
  renew: () => void;
  file?: ComponentChildren;
};

/** It is drawn anew where what it shows is another: the list itself stays one object. */
function Filters({ keys, noun, total, facets, waiting, renew, file }: FiltersProps) {
  const [query, change] = useQuery();
  const [open, setOpen] = useState(false);
  return (
    <div class={`filters ${open ? 'open' : ''}`}>
      <Words value={query['q'] ?? ''} onChange={(q) => change({ q })} noun={noun} />
      {keys
        .filter((key) => key !== 'q')
        .map((key) => (
          <Choice
            key={key}
            name={key}
            value={query[key] ?? ''}
            facets={facets}
            onChange={(to) => change({ [key]: to })}
          />
        ))}
      <button type="button" class="filters-more" aria-expanded={open} onClick={() => setOpen(!open)}>
        Filters
      </button>
      <span class="filters-end">
        {waiting > 0 && (
          <button type="button" class="plain" onClick={renew}>
            {count(waiting)} changed · R renews
          </button>
        )}
        {total !== undefined && <span role="status">{counted(total, noun)}</span>}
        {file}
      </span>
    </div>
  );
}

/** Words are asked for when the person pauses. */
function Words({ value, onChange, noun }: { value: string; onChange: (value: string) => void; noun: string }) {
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  useEffect(() => {
    if (text === value) return;
    const timer = setTimeout(() => onChange(text), 250);
    return () => clearTimeout(timer);
  }, [text]);
  return (
    <input
      type="search"
      class="words"
      aria-label={`Filter ${noun}s by words`}
      placeholder="Filter by words"
      value={text}
      onInput={(event) => setText(event.currentTarget.value)}
    />
  );
}

type Facets = Windows<unknown>['facets'];
type ChoiceProps = { name: string; value: string; facets: Facets; onChange: (value: string) => void };

/** Names of filters as people read them. */
const TITLES: Readonly<Record<string, string>> = {
  standing: 'Status',
  package: 'Package',
  cluster: 'Cluster',
  namespace: 'Namespace',
  catalog: 'Catalog',
  channel: 'Channel',
  version: 'Version',
  api: 'API',
  reach: 'Reach',
  deprecated: 'Deprecated',
  cause: 'Cause',
};

/** A column's values with the numbers of rows; a value from the address is offered even where no row has it. */
function Choice({ name, value, facets, onChange }: ChoiceProps) {
  const found = facets?.[name] ?? [];
  const isKnown = value === '' || found.some((one) => one.value === value);
  if (found.length === 0 && value === '') return null;
  return (
    <select
      class={value === '' ? '' : 'chosen'}
      aria-label={`Filter by ${(TITLES[name] ?? name).toLowerCase()}`}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
    >
      <option value="">{TITLES[name] ?? name}</option>
      {!isKnown && (
        <option
          value={value}
        >{`${TITLES[name] ?? name}: ${value.length > 40 ? `${value.slice(0, 39)}…` : value}`}</option>
      )}
      {found
        .filter((one) => one.value !== '')
        .map((one) => (
          <option key={one.value} value={one.value}>
            {`${value === one.value ? `${TITLES[name] ?? name}: ` : ''}${one.value} (${count(one.count)})`}
          </option>
        ))}
    </select>
  );
}
