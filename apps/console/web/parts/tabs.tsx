import { useLocation } from 'preact-iso';
import { withQuery } from '../live/address.js';
import { useQuery } from '../live/query.js';

type Tab = Readonly<{ view: string; title: string; note?: string | number | undefined }>;

/** True for a count of zero, which is shown without a badge. */
export const isNone = (note: string | number): boolean => String(note) === '0';

/** Shows tabs as links: the address names the open one. The first one is open by default. */
export function Tabs({ tabs, label }: { tabs: readonly Tab[]; label: string }) {
  const { path } = useLocation();
  const [query] = useQuery();
  const open = query['view'] ?? tabs[0]?.view;
  return (
    <nav class="tabs" aria-label={label}>
      {tabs.map(({ view, title, note }, index) => (
        <a
          key={view}
          href={withQuery(path, { ...query, view: index === 0 ? undefined : view })}
          aria-current={view === open ? 'page' : undefined}
        >
          {title}
          {note !== undefined && <span class={isNone(note) ? 'tab-note none' : 'tab-note'}>{note}</span>}
        </a>
      ))}
    </nav>
  );
}
