import type { ActionResult } from '../../src/api/actions.schema.js';
import type { Acting } from '../live/act.js';
import { Trouble } from './states.js';

const OUTCOMES: Readonly<Record<ActionResult['outcome'], readonly [glyph: string, words: string, colour: string]>> = {
  pending: ['↻', 'under way', 'under-way'],
  done: ['✔', 'done', 'well'],
  'changed-meanwhile': ['◼', 'changed meanwhile, not done', 'blocked'],
  refused: ['✖', 'refused', 'failed'],
  away: ['○', 'unreachable, not done', 'blocked'],
  failed: ['✖', 'failed', 'failed'],
  unknown: ['?', 'not known', 'unknown'],
};

/** Shows the result of an action in one cluster. */
export function Outcome({ of }: { of: ActionResult }) {
  const [glyph, words, colour] = OUTCOMES[of.outcome];
  return (
    <p class="outcome">
      <span class={`standing ${colour}`}>
        <span aria-hidden="true">{glyph}</span>
        <span>{words}</span>
      </span>
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
