import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { filterValue, filterValues } from '#core/kernel/text/filter-values';
import { type Query, useQuery } from '../live/query.js';
import { count, counted } from '../live/times.js';
import type { Windows } from '../live/windows.js';
import { Empty } from '../parts/states.js';

/** Names the filters that leave no row, with one click to drop each of them. */
export function NothingMatches({ asked, noun }: { asked: Query; noun: string }) {
  const [, change] = useQuery();
  return (
    <Empty title={`No ${noun} matches.`}>
      <p class="chips">
        {Object.entries(asked).map(([key, value]) => (
          <button key={key} type="button" class="chip" onClick={() => change({ [key]: undefined })}>
            {key === 'q' ? 'words' : (TITLES[key] ?? key).toLowerCase()}: {filterValues(value).join(', ')}{' '}
            <span aria-hidden="true">×</span>
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

/** Re-renders when its content changes; the list instance stays the same. */
export function Filters({ keys, noun, total, facets, waiting, renew, file }: FiltersProps) {
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
            {count(waiting)} updates · press R to refresh
          </button>
        )}
        {total !== undefined && <span role="status">{counted(total, noun)}</span>}
        {file}
      </span>
    </div>
  );
}

/** Words are asked for when the person pauses. */
export function Words({ value, onChange, noun }: { value: string; onChange: (value: string) => void; noun: string }) {
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
      aria-label={`Search ${noun}s`}
      placeholder="Search"
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
  runs: 'Runs',
};

/**
 * Offers a column's values with the numbers of rows; a value from the address is offered even if no row has
 * it.
 */
function Choice({ name, value, facets, onChange }: ChoiceProps) {
  const found = facets?.[name] ?? [];
  const isKnown = value === '' || found.some((one) => filterValue(one.value) === value);
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
          <option key={one.value} value={filterValue(one.value)}>
            {`${value === filterValue(one.value) ? `${TITLES[name] ?? name}: ` : ''}${one.value} (${count(one.count)})`}
          </option>
        ))}
    </select>
  );
}
