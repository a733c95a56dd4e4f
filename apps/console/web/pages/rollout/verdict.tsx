import { rolloutVerdict } from '#core/view/questions/rollout-verdict';
import type { RolloutDetail } from '../../../src/api/lists.schema.js';
import { left } from '../../live/times.js';
import { Standing } from '../../parts/standing.js';
import { Ago } from '../../parts/text.js';

/** Answers if it is safe to go on: the state in its colour, the reason, and what ends the state. */
export function Verdict({ of }: { of: RolloutDetail }) {
  const { standing, state, why, next } = rolloutVerdict(of);
  const soaking = of.waves.find(({ soakUntil }) => soakUntil !== '');
  return (
    <div class={`verdict ${standing}`}>
      <p class="lead">
        <Standing of={standing} glyphOnly /> <strong>{state}</strong> {why}
        {state === 'Soaking' && soaking && ` ${left(soaking.soakUntil) || 'About to end'}.`}
      </p>
      {next !== '' && <p>{next}</p>}
      <p class="pale small">
        {of.finishedAt === '' ? 'Started' : 'Ended'} <Ago time={of.finishedAt || of.startedAt} /> ago
        {of.derived && ' · derived from the clusters, without waves'}
        {of.message !== '' && of.finishedAt === '' && ` · ${of.message}`}
      </p>
    </div>
  );
}
