import { WITHDRAWN_NOTE } from '#core/rollout/controller/step/withdrawn';
import { rolloutVerdict } from '#core/view/questions/rollout-verdict';
import type { RolloutList, RolloutSummary } from '../../../src/api/lists.schema.js';
import { Pager, placeIn, WINDOW } from '../../list/pager.js';
import { paths, withQuery } from '../../live/address.js';
import { useLoaded, useRenewed, WAVES_EVERY } from '../../live/loaded.js';
import { useQuery } from '../../live/query.js';
import { count, counted } from '../../live/times.js';
import { WaveBar } from '../../parts/bars.js';
import { Page, Section } from '../../parts/page.js';
import { SameCommand } from '../../parts/same-command.js';
import { Inked, Standing } from '../../parts/standing.js';
import { Answered, Empty } from '../../parts/states.js';
import { Ago } from '../../parts/text.js';

const LAST_ENDED = 10;

/** Rollouts to another version that are in progress, and the last that ended; with `?view=ended` all of those. */
export default function RolloutsPage() {
  const [query] = useQuery();
  const isEnded = query['view'] === 'ended';
  const at = placeIn(query['offset']);
  const offset = at > 0 ? String(at) : undefined;
  const asked = { moving: String(!isEnded), limit: String(WINDOW), offset };
  const rollouts = useLoaded<RolloutList>(withQuery('rollouts', asked));
  useRenewed(rollouts, WAVES_EVERY);
  return (
    <Page
      title={isEnded ? 'Ended rollouts' : 'Rollouts'}
      asOf={rollouts.data?.asOf}
      above={isEnded && <a href="/rollouts">Rollouts</a>}
    >
      <Answered of={rollouts}>
        {({ items, total }) => (
          <>
            {items.length === 0 ? (
              <Empty title={isEnded ? 'No rollout has ended.' : 'No rollouts in progress.'}>
                <p>A rollout appears here as soon as a cluster is on its way to another version.</p>
              </Empty>
            ) : (
              <Rows of={items} />
            )}
            <Pager at={at} shown={items.length} total={total} before="Newer" after="Older" />
          </>
        )}
      </Answered>
      {!isEnded && <LastEnded />}
      <SameCommand command={isEnded ? 'flotilla fleet status --all' : 'flotilla fleet status'} />
    </Page>
  );
}

function LastEnded() {
  const ended = useLoaded<RolloutList>(withQuery('rollouts', { moving: 'false', limit: String(LAST_ENDED) }));
  if (ended.data === undefined || ended.data.total === 0) return null;
  return (
    <Section title="Ended">
      <Rows of={ended.data.items} />
      {ended.data.total > LAST_ENDED && (
        <p class="after">
          <a href="/rollouts?view=ended">All {count(ended.data.total)} that ended</a>
        </p>
      )}
    </Section>
  );
}

const sum = ({ waves }: RolloutSummary, key: 'members' | 'done' | 'failed'): number =>
  waves.reduce((total, wave) => total + wave[key], 0);

function Rows({ of }: { of: readonly RolloutSummary[] }) {
  return (
    <ul class="rollouts">
      {of.map((one) => (
        <li key={one.id}>
          <a href={paths.rollout(one.id)} class="rollout-name">
            <strong>{one.package}</strong> <span class="pale">→</span> {one.target}
          </a>
          <span class="rollout-waves">
            {one.waves.map((wave) => (
              <WaveBar key={wave.name} of={wave} />
            ))}
          </span>
          <span>
            {count(sum(one, 'done'))}/{counted(sum(one, 'members'), 'cluster')}
            {sum(one, 'failed') > 0 && <Inked of="failed">{count(sum(one, 'failed'))} failed</Inked>}
          </span>
          <span class="pale">
            <Standing of={rolloutVerdict(one).standing} glyphOnly /> {rolloutVerdict(one).state}
            {one.withdrawn && one.finishedAt === '' && `, ${WITHDRAWN_NOTE}`} ·{' '}
            <Ago time={one.finishedAt || one.startedAt} />
          </span>
        </li>
      ))}
    </ul>
  );
}
