import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import type { FleetSummary } from '../../src/api/lists.schema.js';
import { useLoaded } from '../live/loaded.js';
import { me, signOut } from '../live/session.js';
import { switchTheme, theme } from '../live/theme.js';
import { count, counted } from '../live/times.js';
import { Dialog } from '../parts/dialog.js';
import { Icon } from '../parts/icon.js';
import { Announcer } from './announcer.js';
import { Upgraded } from './failed.js';
import { HubAway } from './hub-away.js';
import { Mark } from './mark.js';
import { Search } from './search.js';
import { KEYS, shortcutsOn, startShortcuts, switchShortcuts } from './shortcuts.js';

type Entry = Readonly<{ path: string; title: string; number?: number | undefined; also?: RegExp; class?: string }>;

const entriesOf = (fleet: FleetSummary | undefined): readonly Entry[] => [
  { path: '/', title: 'Fleet', also: /^\/clusters(\/[^/]+)?$/ },
  { path: '/operators', title: 'Operators', also: /^\/(operators|clusters\/[^/]+\/.)/ },
  { path: '/approvals', title: 'Approvals', number: fleet?.approvals.classes },
  { path: '/catalogs', title: 'Catalogs' },
  { path: '/rollouts', title: 'Rollouts', number: fleet?.rollouts },
  { path: '/changes', title: 'Changes' },
  ...(me.value?.may.hub === false ? [] : [{ path: '/hub', title: 'Hub' }]),
  { path: '/about', title: 'About', class: 'in-menu' },
];

const isOpen = ({ path, also }: Entry, at: string): boolean =>
  at === path || (path !== '/' && at.startsWith(`${path}/`)) || also?.test(at) === true;

export function Frame({ children }: { children: ComponentChildren }) {
  const { path, route } = useLocation();
  const { data: fleet } = useLoaded<FleetSummary>('fleet');
  const [help, setHelp] = useState(false);
  useEffect(
    () =>
      startShortcuts({
        go: (to) => route(to),
        search: () => document.getElementById('search')?.focus(),
        help: () => setHelp(true),
      }),
    [],
  );
  return (
    <>
      {/* biome-ignore lint/a11y/useValidAnchor: a link to a place of this page, which moves the focus too */}
      <a class="skip" href="#main" onClick={skip}>
        Skip to the page
      </a>
      <header class="frame">
        <a class="brand" href="/" aria-label="Flotilla: go to the fleet">
          <Mark /> Flotilla
        </a>
        <Navigation at={path} key={path} fleet={fleet} />
        <Search />
        <button
          type="button"
          class="plain theme"
          onClick={switchTheme}
          aria-label={`Switch to the ${theme.value === 'dark' ? 'light' : 'dark'} theme`}
        >
          <Icon of="theme" />
        </button>
        <a class="person" href="/about">
          {me.value?.name ?? ''}
        </a>
      </header>
      <main id="main" tabIndex={-1}>
        <HubAway />
        <Upgraded />
        {fleet?.filling && <Filling of={fleet.filling} />}
        {children}
      </main>
      <Announcer />
      {help && <Help onClose={() => setHelp(false)} />}
    </>
  );
}

/** Notice after the store of the hub was emptied: the page shows the last known state. */
const Filling = ({ of }: { of: NonNullable<FleetSummary['filling']> }) => (
  <p class="notice" role="status">
    The hub is filling up again: {count(of.clusters)} of {counted(of.of, 'cluster')}. What is shown was known before.
  </p>
);

function skip(event: MouseEvent): void {
  event.preventDefault();
  document.querySelector<HTMLElement>('main h1')?.focus();
}

/** A menu on narrow screens, and a line of links elsewhere. */
function Navigation({ at, fleet }: { at: string; fleet: FleetSummary | undefined }) {
  const [open, setOpen] = useState(false);
  return (
    <nav class="navigation" aria-label="Pages">
      <button
        type="button"
        class="menu plain"
        aria-expanded={open}
        aria-controls="pages"
        onClick={() => setOpen(!open)}
      >
        <Icon of="menu" /> Menu
      </button>
      <ul id="pages" class={open ? 'open' : ''}>
        {entriesOf(fleet).map((entry) => (
          <li key={entry.path} class={entry.class}>
            <a href={entry.path} aria-current={isOpen(entry, at) ? 'page' : undefined}>
              {entry.title}
              {entry.number !== undefined && entry.number > 0 && <span class="badge">{count(entry.number)}</span>}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

function Help({ onClose }: { onClose: () => void }) {
  return (
    <Dialog title="Keys" onClose={onClose}>
      <ShortcutList />
      <form method="dialog" class="dialog-end">
        <button type="submit" class="primary">
          Close
        </button>
      </form>
    </Dialog>
  );
}

export function ShortcutList() {
  return (
    <>
      <dl class="keys">
        {KEYS.map(([keys, what]) => (
          <div key={keys}>
            <dt>
              {keys.split(' ').map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
      <label class="tick-line">
        <input type="checkbox" checked={shortcutsOn.value} onChange={switchShortcuts} /> Use single keys
      </label>
    </>
  );
}

export { signOut };
