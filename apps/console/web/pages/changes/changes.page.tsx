import { useEffect, useState } from 'preact/hooks';
import type { ChangeList } from '../../../src/api/lists.schema.js';
import { Pager, placeIn } from '../../list/pager.js';
import { withQuery } from '../../live/address.js';
import { useLoaded } from '../../live/loaded.js';
import { useQuery } from '../../live/query.js';
import { me } from '../../live/session.js';
import { counted } from '../../live/times.js';
import { ChangeLines } from '../../parts/change-lines.js';
import { Page } from '../../parts/page.js';
import { Answered, Empty } from '../../parts/states.js';
import { Ago } from '../../parts/text.js';

const FIELDS = [
  ['cluster', 'Cluster'],
  ['package', 'Package'],
  ['by', 'By'],
] as const;
/** Filters of links from other pages. */
const SUBJECTS = [
  ['about', 'Operator'],
  ['hash', 'Plan class'],
] as const;
const shortSubject = (text: string): string => text.replace(/^(subscription|extension)\//, '').slice(0, 60);
const KINDS = [
  ['', 'all changes'],
  ['version', 'versions'],
  ['standing', 'statuses'],
  ['approval', 'approvals'],
  ['decision', 'decisions'],
  ['digest', 'catalogs'],
  ['membership', 'membership'],
] as const;
/** For the role admin. */
const TRAIL = [['sign-in,refusal', 'sign-ins and refusals']] as const;
const SINCE = [
  ['', 'any time'],
  ['1h', 'last hour'],
  ['1d', 'last day'],
  ['7d', 'last 7 days'],
] as const;
const SECONDS: Readonly<Record<string, number>> = { '1h': 3_600, '1d': 86_400, '7d': 604_800 };

/** In whole minutes, so that the same address asks the same for a while. */
const sinceTime = (span: string | undefined): string => {
  const seconds = SECONDS[span ?? ''];
  return seconds === undefined
    ? ''
    : new Date(Math.floor((Date.now() - seconds * 1000) / 60_000) * 60_000).toISOString();
};

/** Changes with their time and person, newest first. */
export default function ChangesPage() {
  const [query] = useQuery();
  const { cluster, package: name, by, q, kind, since, about, hash } = query;
  const at = placeIn(query['offset']);
  const filters = { cluster, package: name, by, q, kind, about, hash };
  const path = withQuery('changes', { ...filters, since: sinceTime(since), offset: at > 0 ? String(at) : undefined });
  const changes = useLoaded<ChangeList>(path);
  const isFiltered = [...Object.values(filters), since].some(Boolean);
  return (
    <Page
      title="Changes"
      asOf={changes.data?.asOf}
      note={
        changes.data && (
          <span class="pale">
            history of the last <Ago time={changes.data.knownSince} />
          </span>
        )
      }
    >
      <ChangeFilters total={changes.data?.total} />
      <Answered of={changes}>
        {({ items, total }) =>
          items.length === 0 ? (
            <Empty title={isFiltered ? 'No change matches.' : 'No changes are known.'} />
          ) : (
            <>
              <ChangeLines items={items} />
              <Pager at={at} shown={items.length} total={total} before="Newer" after="Older" />
            </>
          )
        }
      </Answered>
    </Page>
  );
}

/** Each filter is a part of the address; another one begins with the newest change. */
function ChangeFilters({ total }: { total: number | undefined }) {
  const [query, change] = useQuery();
  return (
    <div class="filters open">
      {FIELDS.map(([key, title]) => (
        <Field
          key={key}
          title={title}
          value={query[key] ?? ''}
          onChange={(value) => change({ [key]: value, offset: undefined })}
        />
      ))}
      <Choice
        title="Kind"
        value={query['kind'] ?? ''}
        of={me.value?.may.hub ? [...KINDS, ...TRAIL] : KINDS}
        onChange={(value) => change({ kind: value || undefined, offset: undefined })}
      />
      <Choice
        title="Since"
        value={query['since'] ?? ''}
        of={SINCE}
        onChange={(value) => change({ since: value || undefined, offset: undefined })}
      />
      {SUBJECTS.map(
        ([key, title]) =>
          query[key] && (
            <button
              key={key}
              type="button"
              class="chip"
              onClick={() => change({ [key]: undefined, offset: undefined })}
            >
              {title}: {shortSubject(query[key])} <span aria-hidden="true">×</span>
              <span class="hidden">, remove</span>
            </button>
          ),
      )}
      <span class="filters-end" role="status">
        {total !== undefined && counted(total, 'change')}
      </span>
    </div>
  );
}

function Field({ title, value, onChange }: { title: string; value: string; onChange: (value: string) => void }) {
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  return (
    <input
      type="search"
      aria-label={title}
      placeholder={title}
      value={text}
      onInput={(event) => setText(event.currentTarget.value)}
      onChange={() => text !== value && onChange(text)}
    />
  );
}

type ChoiceProps = {
  title: string;
  value: string;
  of: readonly (readonly [value: string, title: string])[];
  onChange: (value: string) => void;
};

const Choice = ({ title, value, of, onChange }: ChoiceProps) => (
  <select aria-label={title} value={value} onChange={(event) => onChange(event.currentTarget.value)}>
    {of.map(([one, text]) => (
      <option key={one} value={one}>
        {text}
      </option>
    ))}
  </select>
);
