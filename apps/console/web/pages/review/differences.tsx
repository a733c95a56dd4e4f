import type { Difference, ReviewGroup } from '../../../src/api/questions.schema.js';
import { withQuery } from '../../live/address.js';
import { useQuery } from '../../live/query.js';
import { count, counted } from '../../live/times.js';
import { Empty } from '../../parts/states.js';
import { isNone } from '../../parts/tabs.js';

const SECTIONS: readonly (readonly [Difference['section'], string])[] = [
  ['operators', 'Operators'],
  ['images', 'Images'],
  ['crds', 'CRDs'],
  ['permissions', 'Permissions'],
  ['workloads', 'Workloads'],
  ['objects', 'Other objects'],
];

const SIGNS = { '+': 'added', '-': 'removed', '~': 'changed' };
const FOLDS = 2_000;
const SHOWN = 100;

/** The differences of a group by section; differences that need attention are marked and come first. */
export function Differences({ of }: { of: ReviewGroup }) {
  const [query] = useQuery();
  const bySection = Map.groupBy(of.differences, ({ section }) => section);
  const filled = SECTIONS.filter(([section]) => (bySection.get(section)?.length ?? 0) > 0);
  const open = (query['section'] as Difference['section'] | undefined) ?? filled[0]?.[0] ?? 'objects';
  const items = bySection.get(open) ?? [];
  return (
    <div class="differences">
      <nav class="tabs" aria-label="What changes">
        {SECTIONS.map(([section, title]) => {
          const some = bySection.get(section) ?? [];
          return (
            <a
              key={section}
              href={withQuery('', { ...query, section })}
              aria-current={section === open ? 'page' : undefined}
            >
              {title}
              <span class={isNone(some.length) ? 'tab-note none' : 'tab-note'}>{count(some.length)}</span>
              {some.some(({ risk }) => risk) && (
                <span class="tab-risk">
                  <span aria-hidden="true">!</span>
                  <span class="hidden">needs attention</span>
                </span>
              )}
            </a>
          );
        })}
      </nav>
      {items.length === 0 ? <Empty title="Nothing changes here." /> : <DifferenceLines of={items} />}
      <p class="pale after">{count(of.unchanged)} objects stay as they are.</p>
    </div>
  );
}

type LinesProps = Readonly<{
  of: readonly Difference[];
  /** Names the classes that make a difference. */
  noteOf?: (at: number) => string;
}>;

/** Differences with their lines. */
export function DifferenceLines({ of, noteOf }: LinesProps) {
  return (
    <ul class="difference-list">
      {of.slice(0, SHOWN).map((one, index) => (
        <li key={`${one.what}${index}`} class={one.risk ? 'risky' : ''}>
          <span class={`sign sign-${SIGNS[one.sign]}`}>
            <span aria-hidden="true">{one.sign}</span>
            <span class="hidden">{SIGNS[one.sign]}</span>
          </span>
          <div>
            <p>
              <strong>{one.what}</strong> {one.text}
              {one.risk && <span class="risk high">needs review</span>}
            </p>
            {noteOf && <p class="pale">{noteOf(index)}</p>}
            {one.lines.length > 0 && <LinesOf lines={one.lines} />}
          </div>
        </li>
      ))}
      {of.length > SHOWN && <li class="pale">and {count(of.length - SHOWN)} more</li>}
    </ul>
  );
}

function LinesOf({ lines }: { lines: readonly string[] }) {
  return (
    <details open={lines.length <= 12}>
      <summary>{counted(lines.length, 'line')}</summary>
      <pre class="diff">
        {lines.slice(0, FOLDS).map((line, index) => (
          <span key={index} class={line.startsWith('+') ? 'added' : line.startsWith('-') ? 'removed' : ''}>
            {line}
            {'\n'}
          </span>
        ))}
      </pre>
    </details>
  );
}
