import { useState } from 'preact/hooks';
import type { ActionTarget } from '../../../src/api/actions.schema.js';
import type { ReviewAnswer } from '../../../src/api/questions.schema.js';
import type { Acting } from '../../live/act.js';
import { counted } from '../../live/times.js';
import { Dialog } from '../../parts/dialog.js';
import { Moves } from '../../parts/moves.js';
import { Trouble } from '../../parts/states.js';
import type { ReviewDraft } from './draft.js';
import { addressOf } from './plan-address.js';

/** More clusters than this: the number has to be typed. */
const MANY = 50;
const NAMED = 20;

type ApproveProps = { review: ReviewAnswer; draft: ReviewDraft; action: Acting };

/** The bar at the foot: comment and button; the dialog repeats the pending action. */
export function ApproveBar({ review, draft: { chosen, comment, write }, action }: ApproveProps) {
  const [asking, setAsking] = useState(false);
  const targets = review.groups
    .flatMap(({ members }) => members)
    .filter((member) => chosen.has(addressOf(member)))
    .map(({ cluster, namespace, name }): ActionTarget => ({ cluster, namespace, name }));
  const approve = () => {
    setAsking(false);
    const text = comment.trim();
    action.act({ verb: 'approve', targets, planHash: review.hash, ...(text === '' ? {} : { comment: text }) });
  };
  if (action.answer) return null;
  return (
    <div class="act-bar">
      {action.refusal && <Trouble refusal={action.refusal} since={undefined} />}
      <label class="comment">
        <span class="hidden">Comment</span>
        <input
          type="text"
          maxLength={500}
          placeholder="Comment, e.g. change number"
          value={comment}
          onInput={(event) => write({ comment: event.currentTarget.value })}
        />
      </label>
      <button
        type="button"
        class="primary"
        disabled={targets.length === 0 || action.busy}
        onClick={() => setAsking(true)}
      >
        Approve in {counted(targets.length, 'cluster')}…
      </button>
      {asking && <Confirm review={review} targets={targets} onClose={() => setAsking(false)} onApprove={approve} />}
    </div>
  );
}

type ConfirmProps = {
  review: ReviewAnswer;
  targets: readonly ActionTarget[];
  onClose: () => void;
  onApprove: () => void;
};

function Confirm({ review, targets, onClose, onApprove }: ConfirmProps) {
  const [typed, setTyped] = useState('');
  const risks = review.groups.flatMap(({ differences }) => differences).filter(({ risk }) => risk);
  const distinct = [...new Set(risks.map(({ what, text }) => `${what} ${text}`))];
  const mustType = targets.length > MANY || risks.some(({ section }) => section === 'crds');
  const ready = !mustType || typed.trim() === String(targets.length);
  return (
    <Dialog title={`Approve in ${counted(targets.length, 'cluster')}?`} onClose={onClose}>
      <form
        method="dialog"
        onSubmit={(event) => {
          event.preventDefault();
          if (ready) onApprove();
        }}
      >
        <p>
          <Moves of={review.moves} all />
        </p>
        <p class="pale">
          {targets
            .slice(0, NAMED)
            .map(({ cluster }) => cluster)
            .join(', ')}
          {targets.length > NAMED && ` and ${targets.length - NAMED} more`}
        </p>
        {distinct.length > 0 && (
          <div class="notice deprecated">
            <p>Review:</p>
            <ul>
              {distinct.slice(0, 6).map((line) => (
                <li key={line}>{line}</li>
              ))}
              {distinct.length > 6 && <li>and {distinct.length - 6} more</li>}
            </ul>
          </div>
        )}
        {mustType && (
          <label class="typed">
            Type {targets.length} to go on{' '}
            <input
              type="text"
              inputMode="numeric"
              size={6}
              value={typed}
              onInput={(event) => setTyped(event.currentTarget.value)}
            />
          </label>
        )}
        <p class="dialog-end">
          <button type="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" class="primary" disabled={!ready}>
            Approve
          </button>
        </p>
      </form>
    </Dialog>
  );
}
