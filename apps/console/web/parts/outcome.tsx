import type { ActionResult } from '../../src/api/actions.schema.js';
import type { Acting } from '../live/act.js';
import { Labelled, type StandingName } from './standing.js';
import { Trouble } from './states.js';

const OUTCOMES: Readonly<Record<ActionResult['outcome'], readonly [standing: StandingName, words: string]>> = {
  pending: ['under-way', 'under way'],
  done: ['well', 'done'],
  'changed-meanwhile': ['blocked', 'changed meanwhile, not done'],
  refused: ['failed', 'refused'],
  away: ['blocked', 'unreachable, not done'],
  failed: ['failed', 'failed'],
  unknown: ['unknown', 'not known'],
};

/** Shows the result of an action in one cluster. */
export function Outcome({ of }: { of: ActionResult }) {
  const [standing, words] = OUTCOMES[of.outcome];
  return (
    <p class="outcome">
      <Labelled of={standing} {...(of.outcome === 'away' && { icon: 'away' as const })}>
        <span>{words}</span>
      </Labelled>
      <strong>{of.cluster}</strong>
      <span class="pale">
        {of.namespace} {of.message}
      </span>
    </p>
  );
}

/** Shows the result of an action: its refusal as a whole, or its result in each cluster. */
export function Outcomes({ answer, refusal }: Pick<Acting, 'answer' | 'refusal'>) {
  return (
    <>
      {refusal && <Trouble refusal={refusal} since={undefined} />}
      {answer && (
        <div role="status">
          {answer.results.map((result) => (
            <Outcome key={`${result.cluster} ${result.namespace} ${result.name}`} of={result} />
          ))}
        </div>
      )}
    </>
  );
}
