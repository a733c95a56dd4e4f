import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { filterValue, filterValues } from '#core/kernel/text/filter-values';
import { useQuery } from '../live/query.js';
import { count, counted } from '../live/times.js';
import type { Windows } from '../live/windows.js';
import { Icon } from '../parts/icon.js';
import { Empty } from '../parts/states.js';

/** A list without a row because of its filters, which stand above as chips. */
export const NothingMatches = ({ noun, nouns }: { noun: string; nouns: string }) => (
  <Empty title={`No ${noun} matches.`}>
    <p>Remove a filter to see more {nouns}.</p>
  </Empty>
);

/** The name of a filter and its values, as people read them. */
function filterWords(key: string, value: string): string {
  const words = WORDS_OF[key] ?? ((one: string) => one);
  return `${key === 'q' ? 'Words' : (TITLES[key] ?? key)}: ${filterValues(value).map(words).join(' or ')}`;
}

const spaced = (value: string): string => value.replaceAll('-', ' ');
/** Words of values that are no names. */
const WORDS_OF: Readonly<Record<string, (value: string) => string>> = {
  standing: spaced,
  reach: spaced,
  cause: (value) => causeWords(value),
};

/** A cause in an address: its code, its kind and its names. */
function causeWords(key: string): string {
  const [code = '', , ...names] = key.split('/');
  return [code.replaceAll('-', ' '), names.join('/').replaceAll('+', ', ')].filter((part) => part !== '').join(', ');
}

type ActiveProps = Readonly<{
  keys: readonly string[];
  /** Words for a filter, in place of those of its key and value. */
  words?: (key: string, value: string) => string | undefined;
}>;

/** The active filters as chips that are removed with one click. Another filter begins with the first row. */
export function ActiveFilters({ keys, words }: ActiveProps) {
  const [query, change] = useQuery();
  const active = keys.flatMap((key) => (query[key] ? [[key, query[key]] as const] : []));
  if (active.length === 0) return null;
  const without = (...gone: readonly string[]) =>
    change(Object.fromEntries([...gone, 'offset'].map((key) => [key, undefined])), true);
  return (
    <p class="chips active-filters">
      {active.map(([key, value]) => (
        <button key={key} type="button" class="chip" onClick={() => without(key)}>
          <span class="chip-text">{words?.(key, value) ?? filterWords(key, value)}</span>
          <Icon of="close" />
          <span class="hidden">, remove</span>
        </button>
      ))}
      {active.length > 1 && (
        <button type="button" class="plain chip" onClick={() => without(...keys)}>
          Clear all
        </button>
      )}
    </p>
  );
}

type FiltersProps = {
  keys: readonly string[];
  noun: string;
  nouns: string;
  total: number | undefined;
  facets: Facets;
  waiting: number;
  renew: () => void;
  file?: ComponentChildren;
};

/** Re-renders when its content changes; the list instance stays the same. */
export function Filters({ keys, noun, nouns, total, facets, waiting, renew, file }: FiltersProps) {
  const [query, change] = useQuery();
  const [open, setOpen] = useState(false);
  return (
    <>
      <div class={`filters ${open ? 'open' : ''}`}>
        <Words value={query['q'] ?? ''} onChange={(q) => change({ q })} nouns={nouns} />
        {keys
          .filter((key) => key !== 'q')
          .map((key) => (
            <Choice
              key={key}
              name={key}
              value={query[key] ?? ''}
              facets={facets}
              onChange={(to) => change({ [key]: to }, true)}
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
          {total !== undefined && <span role="status">{counted(total, noun, nouns)}</span>}
          {file}
        </span>
      </div>
      <ActiveFilters keys={keys} />
    </>
  );
}

/** Words are asked for when the person pauses. */
export function Words({ value, onChange, nouns }: { value: string; onChange: (value: string) => void; nouns: string }) {
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
      aria-label={`Search ${nouns}`}
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
  label: 'Label',
  deprecated: 'Deprecated',
  cause: 'Cause',
  runs: 'Runs',
  by: 'By',
  change: 'Change',
  risk: 'Review',
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
