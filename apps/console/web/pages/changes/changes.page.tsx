import { useEffect, useState } from 'preact/hooks';
import type { ChangeList } from '../../../src/api/lists.schema.js';
import { useQuery, withQuery } from '../../live/address.js';
import { useLoaded } from '../../live/loaded.js';
import { me } from '../../live/session.js';
import { count, counted } from '../../live/times.js';
import { ChangeLines } from '../../parts/change-lines.js';
import { Page } from '../../parts/page.js';
import { Answered, Empty } from '../../parts/states.js';
import { Ago } from '../../parts/text.js';

const WINDOW = 200;
const FIELDS = [
  ['cluster', 'Cluster'],
  ['package', 'Package'],
  ['by', 'By'],
] as const;
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
  const { cluster, package: name, by, q, kind, since } = query;
  const offset = query['offset'] ?? '';
  const path = withQuery('changes', { cluster, package: name, by, q, kind, since: sinceTime(since), offset });
  const changes = useLoaded<ChangeList>(path);
  const at = Number(offset) || 0;
  const isFiltered = [cluster, name, by, q, kind, since].some(Boolean);
  return (
    <Page
      title="Changes"
      asOf={changes.data?.asOf}
      note={
        changes.data && (
          <span class="pale">
            known for <Ago time={changes.data.knownSince} />
          </span>
        )
      }
    >
      <ChangeFilters total={changes.data?.total} />
      <Answered of={changes}>
        {({ items, total }) =>
          items.length === 0 ? (
            <Empty title={isFiltered ? 'No change matches.' : 'Nothing has changed since changes are known.'} />
          ) : (
            <>
              <ChangeLines items={items} />
              <Pager at={at} shown={items.length} total={total} />
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
      <span class="filters-end" role="status">
        {total !== undefined && counted(total, 'change')}
      </span>
    </div>
  );
}

/** The ways to newer and older changes. */
function Pager({ at, shown, total }: { at: number; shown: number; total: number }) {
  const [, change] = useQuery();
  return (
    <p class="pager">
      {at > 0 && (
        <button type="button" onClick={() => change({ offset: at > WINDOW ? String(at - WINDOW) : undefined })}>
          Newer
        </button>
      )}
      {at + shown < total && (
        <button type="button" onClick={() => change({ offset: String(at + WINDOW) })}>
          Older, {count(total - at - shown)} more
        </button>
      )}
    </p>
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
