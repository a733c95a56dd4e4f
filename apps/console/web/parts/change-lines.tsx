import type { HistoryEntry } from '#core/fleet/view/history-entry';
import { paths } from '../live/address.js';
import { dayOf, fullTime, timeOfDay } from '../live/times.js';

const VERBS: Readonly<Record<HistoryEntry['kind'], string>> = {
  version: 'version',
  standing: 'status',
  digest: 'catalog',
  approval: 'approved',
  decision: 'decided',
  membership: 'membership',
};

/** The page of what changed, where its row says so. */
function hrefOf({ row, cluster }: HistoryEntry): string {
  const [kind = '', first = '', second = ''] = row.split('/');
  if (kind === 'subscription') return paths.operator({ cluster, namespace: first, name: second, api: 'classic' });
  if (kind === 'extension') return paths.operator({ cluster, namespace: '', name: first, api: 'v1' });
  return paths.cluster(cluster);
}

const nameOf = ({ row, package: name }: HistoryEntry): string => name || row.split('/').slice(1).join('/') || row;
const isDigest = (text: string): boolean => /^sha256:[0-9a-f]{64}$/.test(text);
const shown = (text: string): string => (isDigest(text) ? text.slice(7, 19) : text);

/** Changes in time order, with the days as headings. */
export function ChangeLines({ items }: { items: readonly HistoryEntry[] }) {
  const days = Map.groupBy(items, ({ at }) => dayOf(at));
  return (
    <div class="changes">
      {[...days].map(([day, some]) => (
        <section key={day} aria-label={day}>
          <h3>{day}</h3>
          <ol>
            {some.map((entry, index) => (
              <Line key={`${entry.at}${entry.row}${index}`} of={entry} />
            ))}
          </ol>
        </section>
      ))}
    </div>
  );
}

function Line({ of }: { of: HistoryEntry }) {
  return (
    <li class={`change kind-${of.kind}`}>
      <time dateTime={of.at} title={fullTime(of.at)}>
        {timeOfDay(of.at)}
      </time>
      <span class="change-kind">{VERBS[of.kind]}</span>
      <span class="change-what">
        <a href={hrefOf(of)}>{nameOf(of)}</a> <span class="pale">in {of.cluster}</span>
        <span class="change-values">
          {of.from !== '' && (
            <>
              {shown(of.from)} <span class="pale">→</span>{' '}
            </>
          )}
          <strong>{shown(of.to)}</strong>
        </span>
        {of.comment !== '' && <q>{of.comment}</q>}
      </span>
      <span class="change-by pale">{of.by}</span>
    </li>
  );
}
