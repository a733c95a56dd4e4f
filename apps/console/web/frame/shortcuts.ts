import { signal } from '@preact/signals';

const PLACE = 'flotilla-shortcuts';

/** Single keys can be switched off (WCAG 2.1.4). */
export const shortcutsOn = signal(localStorage.getItem(PLACE) !== 'off');

export function switchShortcuts(): void {
  shortcutsOn.value = !shortcutsOn.value;
  localStorage.setItem(PLACE, shortcutsOn.value ? 'on' : 'off');
}

const PAGES: Readonly<Record<string, string>> = {
  f: '/',
  o: '/operators',
  a: '/approvals',
  c: '/catalogs',
  r: '/rollouts',
  h: '/hub',
};

/** The meaning of single keys, for the help. */
export const KEYS: readonly (readonly [keys: string, what: string])[] = [
  ['/', 'search'],
  ['?', 'this help'],
  ['g f', 'Fleet'],
  ['g o', 'Operators'],
  ['g a', 'Approvals'],
  ['g c', 'Catalogs'],
  ['g r', 'Rollouts'],
  ['g h', 'Hub'],
  ['j k', 'next and previous row'],
  ['Enter', 'open a row'],
  ['x', 'select a row'],
  ['R', 'refresh a list'],
  ['Esc', 'close'],
];

type Actions = Readonly<{ go: (path: string) => void; search: () => void; help: () => void }>;

/** Ticks are no fields: nothing is typed into them. */
const inField = (target: EventTarget | null): boolean =>
  target instanceof Element && target.closest('input:not([type=checkbox]), textarea, select, dialog') !== null;

/**
 * Items that people step through with `j` and `k`: rows of tables, findings, packages, clusters of a review.
 */
const ROWS = [
  'table.rows tbody tr',
  ...['findings', 'behind', 'members', 'rollouts', 'package-tiles', 'changes ol'].map((list) => `.${list} > li`),
]
  .map((rows) => `main ${rows}`)
  .join(', ');
const GRID_ROW = 'main [role=grid] [role=row][tabindex="0"]';

/**
 * Returns the part of a row that takes the focus: its link or tick. A row of a grid takes it itself, and
 * continues with its own keys.
 */
const focusOf = (row: HTMLElement): HTMLElement | null =>
  row.matches(GRID_ROW) ? row : row.querySelector<HTMLElement>('a[href], input, button, summary');

function toRow(step: number): void {
  const rows = [...document.querySelectorAll<HTMLElement>(`${ROWS}, ${GRID_ROW}`)].filter(focusOf);
  const at = rows.findIndex((row) => row.contains(document.activeElement));
  const next = rows[at < 0 ? 0 : at + step];
  if (next === undefined) return;
  focusOf(next)?.focus();
  next.scrollIntoView({ block: 'nearest' });
}

const tickOfRow = (): HTMLInputElement | null | undefined =>
  document.activeElement?.closest(ROWS)?.querySelector<HTMLInputElement>('input[type=checkbox]');

const isForOthers = ({ target, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean =>
  !shortcutsOn.value || inField(target) || ctrlKey || metaKey || altKey;

export function startShortcuts({ go, search, help }: Actions): () => void {
  const single: Readonly<Record<string, () => void>> = {
    '/': search,
    '?': help,
    j: () => toRow(1),
    k: () => toRow(-1),
    x: () => tickOfRow()?.click(),
  };
  let afterG = false;
  const onKey = (event: KeyboardEvent) => {
    if (isForOthers(event)) return;
    const page = afterG ? PAGES[event.key] : undefined;
    afterG = event.key === 'g';
    const act = page === undefined ? single[event.key] : () => go(page);
    if (act === undefined) return;
    act();
    event.preventDefault();
  };
  addEventListener('keydown', onKey);
  return () => removeEventListener('keydown', onKey);
}
