import { WITHDRAWN_NOTE } from '#core/rollout/controller/step/withdrawn';
import type { RolloutList, RolloutSummary } from '../../../src/api/lists.schema.js';
import { paths } from '../../live/address.js';
import { useLoaded, useRenewed, WAVES_EVERY } from '../../live/loaded.js';
import { count, counted, inWords } from '../../live/times.js';
import { WaveBar } from '../../parts/bars.js';
import { Page, Section } from '../../parts/page.js';
import { Answered, Empty } from '../../parts/states.js';
import { Ago } from '../../parts/text.js';

/** Roll-outs to another version that are under way, and the last that ended. */
export default function RolloutsPage() {
  const rollouts = useLoaded<RolloutList>('rollouts?limit=200');
  useRenewed(rollouts, WAVES_EVERY);
  return (
    <Page title="Roll-outs" asOf={rollouts.data?.asOf}>
      <Answered of={rollouts}>
        {({ items }) => {
          const moving = items.filter(({ finishedAt }) => finishedAt === '');
          const ended = items.filter(({ finishedAt }) => finishedAt !== '').slice(0, 10);
          return (
            <>
              {moving.length === 0 ? (
                <Empty title="Nothing moves.">
                  <p>A roll-out appears here as soon as a cluster is on its way to another version.</p>
                </Empty>
              ) : (
                <Rows of={moving} />
              )}
              {ended.length > 0 && (
                <Section title="Ended">
                  <Rows of={ended} />
                </Section>
              )}
            </>
          );
        }}
      </Answered>
    </Page>
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
            {sum(one, 'failed') > 0 && <span class="ink-failed"> · ✖ {count(sum(one, 'failed'))}</span>}
          </span>
          <span class="pale">
            {inWords(one.phase)}
            {one.withdrawn && one.finishedAt === '' && `, ${WITHDRAWN_NOTE}`} ·{' '}
            <Ago time={one.finishedAt || one.startedAt} />
          </span>
        </li>
      ))}
    </ul>
  );
}
