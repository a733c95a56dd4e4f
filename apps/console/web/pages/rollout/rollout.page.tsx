import { useRoute } from 'preact-iso';
import { WITHDRAWN_END, withdrawnText } from '#core/rollout/controller/step/withdrawn';
import type { RolloutDetail } from '../../../src/api/lists.schema.js';
import { PackageOperators } from '../../list/package-operators.js';
import { paths, rowPaths } from '../../live/address.js';
import { useLoaded, useRenewed, WAVES_EVERY } from '../../live/loaded.js';
import { age, count, inWords, left } from '../../live/times.js';
import { WaveBar } from '../../parts/bars.js';
import { Page, Section } from '../../parts/page.js';
import { Bones, Trouble } from '../../parts/states.js';
import { Ago } from '../../parts/text.js';
import { Decided } from './decided.js';
import { Decisions } from './decisions.js';
import { Ended } from './ended.js';
import { Pace } from './pace.js';
import { PathSteps } from './path-steps.js';

/** Minutes until it is worth reporting that no cluster has reached the target. */
const TELLING = 10;

/** One roll-out, followed as it goes. */
export default function RolloutPage() {
  const id = useRoute().params['id'] ?? '';
  const rollout = useLoaded<RolloutDetail>(rowPaths.rollout(id));
  useRenewed(rollout, WAVES_EVERY);
  const isGone = rollout.refusal?.status === 404;
  const one = isGone ? undefined : rollout.data;
  return (
    <Page
      title={one ? `${one.package} → ${one.target}` : id}
      asOf={one?.asOf}
      above={<a href="/rollouts">Roll-outs</a>}
    >
      {rollout.refusal && !isGone && (
        <Trouble refusal={rollout.refusal} since={rollout.failingSince} renew={rollout.renew} />
      )}
      {rollout.data === undefined && !rollout.refusal && <Bones />}
      {isGone && <Ended id={id} />}
      {one && <Shown of={one} />}
    </Page>
  );
}

const timeOfWave = ({ openedAt, completedAt }: RolloutDetail['waves'][number]): string =>
  completedAt === '' ? `open for ${age(openedAt)}` : `took ${age(openedAt, Date.parse(completedAt))}`;

/** Describes the clusters of a wave, and the condition that it waits for. */
function WaveWords({ of, derived }: { of: RolloutDetail['waves'][number]; derived: boolean }) {
  const parts = [
    of.underWay > 0 && <span class="ink-under-way">↻ {count(of.underWay)} under way</span>,
    of.failed > 0 && <span class="ink-failed">✖ {count(of.failed)} failed</span>,
    of.waiting > 0 && `${count(of.waiting)} wait`,
    of.note,
    of.openedAt !== '' && !derived && timeOfWave(of),
    of.soakUntil !== '' && `soaking, ${left(of.soakUntil) || 'about to end'}`,
    of.underWay > 0 && of.deadline !== '' && `each fails after ${of.deadline}`,
  ].filter(Boolean);
  return (
    <p class="small pale">
      {parts.map((part, at) => (
        <span key={at}>
          {at > 0 && ' · '}
          {part}
        </span>
      ))}
    </p>
  );
}

/** Says that no decision brings the target, and describes the further course of the roll-out. */
const Withdrawn = ({ of: { target, finishedAt } }: { of: RolloutDetail }) => (
  <p>
    {withdrawnText(target)}.{finishedAt === '' && ` The rollout ${WITHDRAWN_END}.`}
  </p>
);

const Waves = ({ of }: { of: RolloutDetail }) => (
  <ol class="waves">
    {of.waves.map((wave) => (
      <li key={wave.name}>
        <p class="wave-head">
          <strong>{wave.name}</strong> <span class="pale">{inWords(wave.phase)}</span>
          <span class="wave-number">
            {count(wave.done)}/{count(wave.members)}
          </span>
        </p>
        <WaveBar of={wave} />
        <WaveWords of={wave} derived={of.derived} />
      </li>
    ))}
  </ol>
);

/** Lists the clusters that failed, by their failures. */
const Failures = ({ of }: { of: RolloutDetail }) => (
  <Section title="Failures">
    <ul class="findings">
      {of.failures.map(({ reason, cause, clusters, examples }) => (
        <li key={reason + cause}>
          <span class="standing failed">
            <span aria-hidden="true">✖</span>
            <span>{count(clusters)}</span>
          </span>
          <span>
            {[reason, cause].filter((part) => part !== '').join(': ')}{' '}
            <span class="pale">
              in{' '}
              {examples.map((cluster, at) => (
                <span key={cluster}>
                  {at > 0 && ', '}
                  <a href={paths.cluster(cluster)}>{cluster}</a>
                </span>
              ))}
              {clusters > examples.length && ` and ${count(clusters - examples.length)} more`}
            </span>
          </span>
        </li>
      ))}
    </ul>
  </Section>
);

function Shown({ of }: { of: RolloutDetail }) {
  return (
    <>
      <p class="lead">
        {inWords(of.phase)}
        {of.reason !== '' && `: ${of.reason}`}
        <span class="pale">
          {' '}
          · started <Ago time={of.startedAt} /> ago{of.derived && ' · derived from the clusters, without waves'}
        </span>
      </p>
      {of.message !== '' && of.finishedAt === '' && <p>{of.message}</p>}
      {of.withdrawn && <Withdrawn of={of} />}
      {of.pace && (of.pace.clusters > 0 || of.pace.minutes >= TELLING) && (
        <Pace of={of.pace} ended={of.finishedAt !== ''} />
      )}
      <Waves of={of} />
      {of.failures.length > 0 && <Failures of={of} />}
      {!of.derived && <PathSteps of={of} />}
      {!of.derived && <Decisions of={of} />}
      <Decided of={of} />
      <PackageOperators title="Operators of this package" package={of.package} filters={['q', 'standing', 'version']} />
    </>
  );
}
