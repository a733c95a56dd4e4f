import {
  observeWindowOffset,
  observeWindowRect,
  type VirtualItem,
  Virtualizer,
  windowScroll,
} from '@tanstack/virtual-core';
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useReducer, useRef, useState } from 'preact/hooks';
import { count } from '../live/times.js';
import { Icon } from '../parts/icon.js';
import { onRowClick } from './row-click.js';

export type Column<R> = Readonly<{
  key: string;
  title: string;
  /** A track of the grid, as `120px` or `minmax(120px, 2fr)`. */
  width: string;
  /** Name of the column for `?sort=`; absent: rows cannot be sorted by it. */
  sort?: string;
  number?: boolean;
  /** True: shown if the page is wide. */
  wide?: boolean;
  /** The column's place on a phone: title and mark in the first line, notes in the second, or hidden. */
  place: 'title' | 'mark' | 'note' | 'gone';
  cell: (row: R) => ComponentChildren;
}>;

type TableProps<R> = Readonly<{
  label: string;
  columns: readonly Column<R>[];
  total: number;
  row: (index: number) => R | undefined;
  /** Reports the rows that are visible. */
  onSight: (first: number, last: number) => void;
  sort: string;
  onSort: (sort: string) => void;
  onOpen: (row: R) => void;
  onHold: (held: boolean) => void;
  /** `toggleAll`: selects everything that the filter matches, in sight or not. */
  selection?:
    | Readonly<{ count: number; has: (row: R) => boolean; toggle: (row: R) => void; toggleAll: () => void }>
    | undefined;
}>;

/** Rows are cards below this width. */
const CARDS = '(max-width: 899px)';
const NARROW = '(max-width: 1199px)';
const rowHeight = (): number => {
  if (matchMedia(CARDS).matches) return 64;
  return matchMedia('(pointer: coarse)').matches ? 44 : 32;
};

/**
 * Returns the rows visible in the window; positions are set through the style object, as the policy allows.
 */
function useRows(total: number, onSight: (first: number, last: number) => void) {
  const [, force] = useReducer((count: number) => count + 1, 0);
  const body = useRef<HTMLDivElement>(null);
  const [height, setHeight] = useState(rowHeight);
  const [virtual] = useState(() => new Virtualizer<Window, Element>(options()));
  function options() {
    return {
      count: total,
      getScrollElement: () => window,
      estimateSize: () => height,
      scrollToFn: windowScroll,
      observeElementRect: observeWindowRect,
      observeElementOffset: observeWindowOffset,
      overscan: 8,
      initialRect: { width: innerWidth, height: innerHeight },
      scrollMargin: body.current === null ? 0 : body.current.getBoundingClientRect().top + scrollY,
      onChange: () => force(undefined),
    };
  }
  virtual.setOptions({ ...options() } as Parameters<typeof virtual.setOptions>[0]);
  useLayoutEffect(() => virtual._didMount(), []);
  useLayoutEffect(() => virtual._willUpdate());
  useLayoutEffect(() => {
    const media = [matchMedia(CARDS), matchMedia('(pointer: coarse)')];
    const change = () => {
      setHeight(rowHeight());
      virtual.measure();
    };
    for (const one of media) one.addEventListener('change', change);
    return () => {
      for (const one of media) one.removeEventListener('change', change);
    };
  }, []);
  const items = virtual.getVirtualItems();
  const first = items[0]?.index ?? 0;
  const last = items.at(-1)?.index ?? 0;
  useLayoutEffect(() => onSight(first, last), [first, last, onSight]);
  return { virtual, items, body, height };
}

/** Returns the columns that have room. */
function useColumns<R>(all: readonly Column<R>[]): readonly Column<R>[] {
  const [isNarrow, setNarrow] = useState(() => matchMedia(NARROW).matches);
  useLayoutEffect(() => {
    const media = matchMedia(NARROW);
    const change = () => setNarrow(media.matches);
    media.addEventListener('change', change);
    return () => media.removeEventListener('change', change);
  }, []);
  return isNarrow ? all.filter(({ wide }) => wide !== true) : all;
}

const STEPS: Readonly<Record<string, number>> = {
  j: 1,
  ArrowDown: 1,
  k: -1,
  ArrowUp: -1,
  PageDown: 20,
  PageUp: -20,
};

/** Keys of the browser, and those of the buttons that sort. */
const isForOthers = ({ ctrlKey, metaKey, altKey, target }: KeyboardEvent): boolean =>
  ctrlKey || metaKey || altKey || (target instanceof Element && target.closest('button') !== null);

/** A table as an ARIA grid: `j`, `k` and arrows move, `Enter` opens, `x` selects. */
export function Table<R>(props: TableProps<R>) {
  const { total, selection } = props;
  const columns = useColumns(props.columns);
  const { virtual, items, body, height } = useRows(total, props.onSight);
  const [current, setCurrent] = useState(0);
  const tracks = `${selection ? '32px ' : ''}${columns.map(({ width }) => width).join(' ')}`;
  const offset = virtual.options.scrollMargin;

  const move = (to: number) => {
    const next = Math.max(0, Math.min(total - 1, to));
    setCurrent(next);
    virtual.scrollToIndex(next, { align: 'auto' });
    requestAnimationFrame(() => body.current?.querySelector<HTMLElement>(`[data-index="${next}"]`)?.focus());
  };
  const onKey = (event: KeyboardEvent) => {
    if (isForOthers(event)) return;
    const row = props.row(current);
    const places: Readonly<Record<string, number>> = { Home: 0, End: total - 1 };
    const to = places[event.key] ?? (STEPS[event.key] ?? 0) + current;
    if (event.key in STEPS || event.key in places) move(to);
    else if (event.key === 'Enter' && row !== undefined) props.onOpen(row);
    else if (event.key === 'x' && row !== undefined) selection?.toggle(row);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };

  return (
    <div
      class="grid"
      role="grid"
      aria-label={props.label}
      aria-rowcount={total + 1}
      aria-colcount={columns.length + (selection ? 1 : 0)}
      onPointerEnter={() => props.onHold(true)}
      onPointerLeave={() => props.onHold(false)}
      onKeyDown={onKey}
    >
      <Head {...props} columns={columns} tracks={tracks} />
      <div class="grid-body" role="rowgroup" ref={body} style={{ height: `${virtual.getTotalSize()}px` }}>
        {items.map((item) => (
          <Row
            key={item.key}
            {...{ item, columns, tracks, height, selection }}
            top={item.start - offset}
            row={props.row(item.index)}
            isCurrent={item.index === Math.min(current, total - 1)}
            onFocus={() => setCurrent(item.index)}
            onOpen={props.onOpen}
          />
        ))}
      </div>
    </div>
  );
}

function Head<R>({ columns, tracks, sort, onSort, selection, total }: TableProps<R> & { tracks: string }) {
  const direction = (name: string | undefined) => {
    if (name === undefined) return undefined;
    if (sort === name) return 'ascending';
    return sort === `-${name}` ? 'descending' : 'none';
  };
  return (
    <div class="grid-head" role="rowgroup">
      <div role="row" aria-rowindex={1} class="grid-row" style={{ gridTemplateColumns: tracks }}>
        {selection && (
          <span role="columnheader" class="cell tick" tabIndex={-1}>
            <label class="tick-target">
              <input
                type="checkbox"
                checked={selection.count > 0 && selection.count === total}
                indeterminate={selection.count > 0 && selection.count < total}
                onChange={selection.toggleAll}
              />
              <span class="hidden">Select all {count(total)}</span>
            </label>
          </span>
        )}
        {columns.map(({ key, title, number, sort: name }) => (
          <span
            key={key}
            role="columnheader"
            tabIndex={-1}
            class={`cell ${number ? 'number' : ''}`}
            aria-sort={direction(name)}
          >
            {name === undefined ? (
              title
            ) : (
              <button type="button" class="sort" onClick={() => onSort(sort === name ? `-${name}` : name)}>
                {title}
                {direction(name) === 'ascending' && <Icon of="up" />}
                {direction(name) === 'descending' && <Icon of="down" />}
              </button>
            )}
          </span>
        ))}
      </div>
    </div>
  );
}

type RowProps<R> = Pick<TableProps<R>, 'columns' | 'selection' | 'onOpen'> &
  Readonly<{
    item: VirtualItem;
    top: number;
    height: number;
    tracks: string;
    row: R | undefined;
    isCurrent: boolean;
    onFocus: () => void;
  }>;

function Row<R>({ item, top, height, columns, tracks, row, isCurrent, onFocus, onOpen, selection }: RowProps<R>) {
  const open = onRowClick(() => row !== undefined && onOpen(row));
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the grid takes the keys
    <div
      role="row"
      class="grid-row body-row"
      aria-rowindex={item.index + 2}
      aria-selected={selection && row !== undefined ? selection.has(row) : undefined}
      data-index={item.index}
      tabIndex={isCurrent ? 0 : -1}
      onFocus={onFocus}
      onClick={open}
      style={{ gridTemplateColumns: tracks, height: `${height}px`, transform: `translateY(${top}px)` }}
    >
      {selection && (
        <span role="gridcell" class="cell tick" tabIndex={-1}>
          {row !== undefined && (
            <label class="tick-target">
              <input
                type="checkbox"
                tabIndex={-1}
                aria-label="Select this row"
                checked={selection.has(row)}
                onChange={() => selection.toggle(row)}
              />
            </label>
          )}
        </span>
      )}
      {columns.map(({ key, number, place, cell }) => (
        <span key={key} role="gridcell" tabIndex={-1} class={`cell ${number ? 'number' : ''} at-${place}`}>
          {row === undefined ? <span class="bone" /> : cell(row)}
        </span>
      ))}
    </div>
  );
}
