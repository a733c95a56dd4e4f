import { useEffect, useState } from 'preact/hooks';
import type { ChangeList } from '../../../src/api/lists.schema.js';
import { ActiveFilters } from '../../list/filters.js';
import { Pager, placeIn } from '../../list/pager.js';
import { withQuery } from '../../live/address.js';
import { useLoaded } from '../../live/loaded.js';
import { useQuery } from '../../live/query.js';
import { me } from '../../live/session.js';
import { counted } from '../../live/times.js';
import { ChangeLines } from '../../parts/change-lines.js';
import { Page } from '../../parts/page.js';
import { SameCommand } from '../../parts/same-command.js';
import { Answered, Empty } from '../../parts/states.js';
import { Ago } from '../../parts/text.js';

const FIELDS = [
  ['cluster', 'Cluster'],
  ['package', 'Package'],
  ['by', 'By'],
] as const;
const ACTIVE = ['cluster', 'package', 'by', 'kind', 'since', 'q', 'about', 'hash'];
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
/** Words of a filter's chip, where they are other than its values. */
function chipWords(key: string, value: string): string | undefined {
  const titled = (of: readonly (readonly [string, string])[]) => of.find(([one]) => one === value)?.[1] ?? value;
  if (key === 'kind') return `Kind: ${titled([...KINDS, ...TRAIL])}`;
  if (key === 'since') return titled(SINCE);
  if (key === 'about') return `Operator: ${shortSubject(value)}`;
  return key === 'hash' ? `Plan class: ${value.slice(0, 12)}` : undefined;
}

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
            <Empty title={isFiltered ? 'No change matches.' : 'No changes are known.'}>
              <p>
                {isFiltered
                  ? 'Remove a filter to see more changes.'
                  : 'Changes of versions, statuses, catalogs, approvals and decisions appear here as they happen.'}
              </p>
            </Empty>
          ) : (
            <>
              <ChangeLines items={items} />
              <Pager at={at} shown={items.length} total={total} before="Newer" after="Older" />
            </>
          )
        }
      </Answered>
      <SameCommand lead="Follow changes in a terminal" command="flotilla get subscriptions,extensions --watch" />
    </Page>
  );
}

/** Each filter is a part of the address; another one begins with the newest change. */
function ChangeFilters({ total }: { total: number | undefined }) {
  const [query, change] = useQuery();
  return (
    <>
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
          onChange={(value) => change({ kind: value || undefined, offset: undefined }, true)}
        />
        <Choice
          title="Since"
          value={query['since'] ?? ''}
          of={SINCE}
          onChange={(value) => change({ since: value || undefined, offset: undefined }, true)}
        />
        <span class="filters-end" role="status">
          {total !== undefined && counted(total, 'change')}
        </span>
      </div>
      <ActiveFilters keys={ACTIVE} words={chipWords} />
    </>
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
