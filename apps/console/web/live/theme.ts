import { signal } from '@preact/signals';

type Theme = 'light' | 'dark';
const PLACE = 'flotilla-theme';
const system = matchMedia('(prefers-color-scheme: dark)');

const chosen = (): Theme | undefined => {
  const value = localStorage.getItem(PLACE);
  return value === 'light' || value === 'dark' ? value : undefined;
};

export const theme = signal<Theme>(chosen() ?? (system.matches ? 'dark' : 'light'));

const apply = (value: Theme) => {
  theme.value = value;
  document.documentElement.dataset['theme'] = value;
};

/** Follows the system until the person chooses. */
export function startTheme(): void {
  apply(theme.value);
  system.addEventListener('change', () => apply(chosen() ?? (system.matches ? 'dark' : 'light')));
}

export function switchTheme(): void {
  const next = theme.value === 'dark' ? 'light' : 'dark';
  localStorage.setItem(PLACE, next);
  apply(next);
}
