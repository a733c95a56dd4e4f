import type { RolloutDetail } from '../../../src/api/lists.schema.js';
import { paths } from '../../live/address.js';
import { age, count, inWords, left } from '../../live/times.js';
import { WaveBar } from '../../parts/bars.js';
import { Icon, type IconName } from '../../parts/icon.js';
import { Inked, type StandingName } from '../../parts/standing.js';
import { Ago } from '../../parts/text.js';

type Wave = RolloutDetail['waves'][number];
type Gate = Wave['gates'][number];

/** Places that are drawn; more are a number. */
const MOST_DOTS = 20;

/** The waves from left to right, with the gates and the promotion between them. */
export function Waves({ of }: { of: RolloutDetail }) {
  return (
    <ol class="waves">
      {of.waves.map((wave, at) => (
        <li key={wave.name} class="lane">
          <Between before={wave} after={of.waves[at - 1]} />
          <WaveCard of={wave} derived={of.derived} />
          {at === of.waves.length - 1 && <Between after={wave} />}
        </li>
      ))}
    </ol>
  );
}

type BetweenProps = Readonly<{ before?: Wave | undefined; after?: Wave | undefined }>;

/** The gates behind one wave and before the next one. */
function Between({ before, after }: BetweenProps) {
  const gates = [
    ...(after?.gates.filter(({ when }) => when === 'After') ?? []),
    ...(before?.gates.filter(({ when }) => when === 'Before') ?? []),
  ];
  const isManual = before?.manual === true;
  if (gates.length === 0 && !isManual) return null;
  return (
    <ul class="gates" aria-label={before ? `Before wave ${before.name}` : `After wave ${after?.name}`}>
      {gates.map((gate) => (
        <GateLine key={`${gate.when}${gate.name}`} of={gate} />
      ))}
      {isManual && (
        <li>
          <span class={before.phase === 'AwaitingPromotion' ? 'ink-needs-approval' : 'pale'}>
            <Icon of={before.openedAt === '' ? 'needs-approval' : 'well'} />{' '}
            {before.openedAt === '' ? 'opens by a decision' : 'opened by a decision'}
          </span>
        </li>
      )}
    </ul>
  );
}

function stateOf({ red, unknown, green, askedAt }: Gate): readonly [ink: StandingName, icon: IconName, text: string] {
  if (red > 0) return ['failed', 'failed', 'red'];
  if (unknown > 0) return ['blocked', 'unknown', 'no answer'];
  if (green > 0) return ['well', 'well', 'green'];
  return ['unknown', 'pending', askedAt === '' ? 'not asked yet' : 'not decided'];
}

function GateLine({ of }: { of: Gate }) {
  const [ink, icon, text] = stateOf(of);
  const counts = [
    of.green > 0 && `${count(of.green)} green`,
    of.red > 0 && `${count(of.red)} red`,
    of.unknown > 0 && `${count(of.unknown)} without answer`,
  ].filter(Boolean);
  return (
    <li>
      <strong>{of.name}</strong> <Inked {...{ of: ink, icon }}>{text}</Inked>
      <span class="small pale">
        {of.limit !== '' && <code>{of.limit}</code>}
        {of.scope === 'Cluster' && counts.length > 0 && <span>{counts.join(', ')}</span>}
        {of.sample.length > 0 && (
          <span>
            {of.sample.map((cluster) => (
              <span key={cluster}>
                <a href={paths.cluster(cluster)}>{cluster}</a>{' '}
              </span>
            ))}
          </span>
        )}
        <span>
          {of.askedAt !== '' && (
            <>
              asked <Ago time={of.askedAt} /> ago,{' '}
            </>
          )}
          every {of.interval}, {of.times === 1 ? 'one answer decides' : `${of.times} equal answers decide`}
        </span>
      </span>
    </li>
  );
}

const timeOfWave = ({ openedAt, completedAt }: Wave): string =>
  completedAt === '' ? `open for ${age(openedAt)}` : `took ${age(openedAt, Date.parse(completedAt))}`;

/** Describes the clusters of a wave, and the condition that it waits for. */
function WaveWords({ of, derived }: { of: Wave; derived: boolean }) {
  const parts = [
    of.underWay > 0 && <Inked of="under-way">{count(of.underWay)} under way</Inked>,
    of.failed > 0 && <Inked of="failed">{count(of.failed)} failed</Inked>,
    of.waiting > 0 && `${count(of.waiting)} wait`,
    of.note,
    of.openedAt !== '' && !derived && timeOfWave(of),
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

const WaveCard = ({ of, derived }: { of: Wave; derived: boolean }) => (
  <div class={`wave ${of.phase === 'Pending' ? 'pending' : ''}`}>
    <p class="wave-head">
      <strong>{of.name}</strong> <span class="pale">{inWords(of.phase)}</span>
      <span class="wave-number">
        {count(of.done)}/{count(of.members)}
      </span>
    </p>
    <WaveBar of={of} />
    <WaveWords of={of} derived={derived} />
    <dl class="wave-facts small">
      <Budget of={of} />
      {of.soak !== '' && of.soak !== '0s' && (
        <div>
          <dt>Soak</dt>
          <dd>{of.soakUntil === '' ? of.soak : `soaking, ${left(of.soakUntil) || 'about to end'}`}</dd>
        </div>
      )}
    </dl>
  </div>
);

/** The failures that a wave accepts, and its places for clusters at a time: each as dots, filled if taken. */
function Budget({ of: { failed, accepted, underWay, limit } }: { of: Wave }) {
  return (
    <>
      {accepted !== undefined && (
        <div class={failed > accepted ? 'ink-failed' : ''}>
          <dt>Failures</dt>
          <dd>
            <Dots used={failed} of={accepted} ink="failed" /> {count(failed)} of {count(accepted)} accepted
          </dd>
        </div>
      )}
      {limit !== undefined && (
        <div>
          <dt>At a time</dt>
          <dd>
            <Dots used={underWay} of={limit} ink="under-way" /> {count(underWay)} of {count(limit)}
          </dd>
        </div>
      )}
    </>
  );
}

function Dots({ used, of, ink }: { used: number; of: number; ink: string }) {
  const all = Math.max(used, of);
  if (all === 0 || all > MOST_DOTS) return null;
  return (
    <span class="dots" aria-hidden="true">
      {Array.from({ length: all }, (_, at) => (
        <span key={at} class={at < used ? `dot fill-${ink}` : 'dot'} />
      ))}
    </span>
  );
}
