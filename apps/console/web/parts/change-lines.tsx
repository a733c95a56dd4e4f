import type { ListedChange } from '../../src/api/lists.schema.js';
import { paths, withQuery } from '../live/address.js';
import { count, counted, dayOf, fullTime, shortTime, zoneAt } from '../live/times.js';

const VERBS: Readonly<Record<ListedChange['kind'], string>> = {
  version: 'version',
  standing: 'status',
  digest: 'catalog',
  approval: 'approved',
  decision: 'decided',
  membership: 'membership',
  'sign-in': 'sign-in',
  refusal: 'refused',
};

/** Returns the page of the changed object, if its row gives one. */
function hrefOf({ row, cluster }: ListedChange): string {
  const [kind = '', first = '', second = ''] = row.split('/');
  if (kind === 'subscription') return paths.operator({ cluster, namespace: first, name: second, api: 'classic' });
  if (kind === 'extension') return paths.operator({ cluster, namespace: '', name: first, api: 'v1' });
  return paths.cluster(cluster);
}

const nameOf = ({ row, package: name }: ListedChange): string => name || row.split('/').slice(1).join('/') || row;
const isDigest = (text: string): boolean => /^sha256:[0-9a-f]{64}$/.test(text);
const shown =
  ({ kind }: ListedChange) =>
  (text: string): string => {
    if (kind === 'standing') return text.replace('-', ' ');
    return isDigest(text) ? text.slice(7, 19) : text;
  };

/** Changes that differ in nothing but the cluster, within a minute, are one line. */
function alike(items: readonly ListedChange[]): readonly (readonly ListedChange[])[] {
  const keyOf = ({ at, kind, package: name, row, from, to, by, comment, address = '' }: ListedChange) =>
    [shortTime(at), kind, kind === 'refusal' ? row : name, from, to, by, comment, address].join('\0');
  return [...Map.groupBy(items, keyOf).values()];
}

/** Changes in time order, with the days as headings. */
export function ChangeLines({ items }: { items: readonly ListedChange[] }) {
  const days = Map.groupBy(items, ({ at }) => dayOf(at));
  return (
    <div class="changes">
      {[...days].map(([day, some]) => (
        <section key={day} aria-label={day}>
          <h3>
            {day} <span class="pale small">{zoneAt(some[0]?.at ?? '')}</span>
          </h3>
          <ol>
            {alike(some).map((entries) => (
              <Line key={`${entries[0]?.at}${entries[0]?.row}${entries[0]?.cluster}${entries[0]?.kind}`} of={entries} />
            ))}
          </ol>
        </section>
      ))}
    </div>
  );
}

function Line({ of }: { of: readonly ListedChange[] }) {
  const [first] = of;
  if (first === undefined) return null;
  return (
    <li class={`change kind-${first.kind}`}>
      <time dateTime={first.at} title={fullTime(first.at)}>
        {shortTime(first.at)}
      </time>
      <span class="change-kind">{VERBS[first.kind]}</span>
      {first.cluster === '' ? <Whence of={of} /> : of.length === 1 ? <What of={first} /> : <Many of={of} />}
      <span class="change-values">
        {first.from !== '' && (
          <>
            {shown(first)(first.from)} <span class="pale">→</span>{' '}
          </>
        )}
        <strong>{shown(first)(first.to)}</strong>
        {first.comment !== '' && <q>{first.comment}</q>}
      </span>
      <span class="change-by pale">{first.by || 'not signed in'}</span>
    </li>
  );
}

type MoreProps = Readonly<{ total: number; shown: number; query: Readonly<Record<string, string>> }>;

/** Leads from the newest changes to all of them. */
export const MoreChanges = ({ total, shown, query }: MoreProps) =>
  total > shown ? (
    <p class="after">
      <a href={withQuery('/changes', query)}>All {count(total)} changes</a>
    </p>
  ) : null;

const What = ({ of }: { of: ListedChange }) => (
  <span class="change-what">
    <a href={hrefOf(of)}>{nameOf(of)}</a> <span class="pale">in {of.cluster}</span>
  </span>
);

/** Shows the client of changes that are in no cluster. */
const Whence = ({ of }: { of: readonly ListedChange[] }) => (
  <span class="change-what pale">
    from {of[0]?.address}
    {of.length > 1 && `, ${count(of.length)} times`}
  </span>
);

function Many({ of }: { of: readonly ListedChange[] }) {
  const [first] = of;
  return (
    <details class="change-what">
      <summary>
        {first && nameOf(first)}{' '}
        <span class="pale">in {counted(new Set(of.map(({ cluster }) => cluster)).size, 'cluster')}</span>
      </summary>
      <ul>
        {of.map((entry) => (
          <li key={`${entry.cluster}${entry.row}`}>
            <a href={hrefOf(entry)}>{entry.cluster}</a>
          </li>
        ))}
      </ul>
    </details>
  );
}
