import { signal } from '@preact/signals';

const PLACE = 'flotilla-shortcuts';

/** Single keys can be switched off (WCAG 2.1.4). */
export const shortcutsOn = signal(localStorage.getItem(PLACE) !== 'off');

export function switchShortcuts(): void {
  shortcutsOn.value = !shortcutsOn.value;
  localStorage.setItem(PLACE, shortcutsOn.value ? 'on' : 'off');
}

export const PAGES: Readonly<Record<string, string>> = {
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
  ['g r', 'Roll-outs'],
  ['g h', 'Hub'],
  ['j k', 'next and previous row'],
  ['Enter', 'open a row'],
  ['x', 'select a row'],
  ['R', 'renew a list'],
  ['Esc', 'close'],
];

type Actions = Readonly<{ go: (path: string) => void; search: () => void; help: () => void }>;

const inField = (target: EventTarget | null): boolean =>
  target instanceof Element && target.closest('input, textarea, select, dialog') !== null;

export function startShortcuts({ go, search, help }: Actions): () => void {
  let afterG = false;
  const onKey = (event: KeyboardEvent) => {
    if (!shortcutsOn.value || inField(event.target) || event.ctrlKey || event.metaKey || event.altKey) return;
    const page = afterG ? PAGES[event.key] : undefined;
    afterG = event.key === 'g';
    if (page !== undefined) go(page);
    else if (event.key === '/') search();
    else if (event.key === '?') help();
    else if (event.key === 'j' && document.activeElement?.closest('[role=grid]') === null) {
      document.querySelector<HTMLElement>('[role=grid] [role=row][tabindex="0"]')?.focus();
    } else return;
    event.preventDefault();
  };
  addEventListener('keydown', onKey);
  return () => removeEventListener('keydown', onKey);
}
