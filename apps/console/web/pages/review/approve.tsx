import { useState } from 'preact/hooks';
import type { PlanMove } from '#core/view/rows/rows';
import type { ActionTarget } from '../../../src/api/actions.schema.js';
import type { Difference } from '../../../src/api/questions.schema.js';
import type { Acting } from '../../live/act.js';
import { counted } from '../../live/times.js';
import { Dialog } from '../../parts/dialog.js';
import { Moves } from '../../parts/moves.js';
import { Trouble } from '../../parts/states.js';

/** More plans than this: the number has to be typed. */
const MANY = 50;
const NAMED = 20;

/** The chosen plans of one class, with their changes. */
export type ChosenPlans = Readonly<{
  hash: string;
  moves: readonly PlanMove[];
  targets: readonly ActionTarget[];
  differences: readonly Difference[];
}>;

type ApproveProps = Readonly<{
  /** Classes with a chosen plan. */
  of: readonly ChosenPlans[];
  comment: string;
  onComment: (comment: string) => void;
  action: Acting;
}>;

/** Names the extent of an approval, as `in 3 clusters`. Several classes may have plans in one cluster. */
const extentOf = (of: readonly ChosenPlans[]): string => {
  const plans = of.reduce((sum, { targets }) => sum + targets.length, 0);
  return of.length > 1 ? `${counted(plans, 'plan')} of ${of.length} classes` : `in ${counted(plans, 'cluster')}`;
};

/** The bar at the foot: comment and button; the dialog repeats the pending action. */
export function ApproveBar({ of, comment, onComment, action }: ApproveProps) {
  const [asking, setAsking] = useState(false);
  const approve = () => {
    setAsking(false);
    const text = comment.trim();
    const more = text === '' ? {} : { comment: text };
    action.act(
      ...of.map(({ hash, targets }) => ({ verb: 'approve' as const, targets: [...targets], planHash: hash, ...more })),
    );
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
          onInput={(event) => onComment(event.currentTarget.value)}
        />
      </label>
      <button type="button" class="primary" disabled={of.length === 0 || action.busy} onClick={() => setAsking(true)}>
        Approve {extentOf(of)}…
      </button>
      {asking && <Confirm of={of} comment={comment} onClose={() => setAsking(false)} onApprove={approve} />}
    </div>
  );
}

type ConfirmProps = Pick<ApproveProps, 'of' | 'comment'> & { onClose: () => void; onApprove: () => void };

function Confirm({ of, comment, onClose, onApprove }: ConfirmProps) {
  const [typed, setTyped] = useState('');
  const targets = of.flatMap((one) => one.targets);
  const clusters = [...new Set(targets.map(({ cluster }) => cluster))];
  const risks = of.flatMap(({ differences }) => differences).filter(({ risk }) => risk);
  const mustType = targets.length > MANY || risks.some(({ section }) => section === 'crds');
  const ready = !mustType || typed.trim() === String(targets.length);
  return (
    <Dialog title={`Approve ${extentOf(of)}?`} onClose={onClose}>
      <form
        method="dialog"
        onSubmit={(event) => {
          event.preventDefault();
          if (ready) onApprove();
        }}
      >
        {of.map(({ hash, moves }) => (
          <p key={hash}>
            <Moves of={moves} all />
          </p>
        ))}
        <p class="pale">
          {clusters.slice(0, NAMED).join(', ')}
          {clusters.length > NAMED && ` and ${clusters.length - NAMED} more`}
        </p>
        {comment.trim() !== '' && <p class="pale">Comment: {comment.trim()}</p>}
        <Risky of={risks} />
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

const SHOWN = 6;
const SHOWN_LINES = 3;

/** Differences to review, with the first lines of each: a permission is named, not only counted. */
function Risky({ of }: { of: readonly Difference[] }) {
  const lines = of.map(({ what, text, lines: all }) => {
    const more = all.length > SHOWN_LINES ? `, and ${all.length - SHOWN_LINES} more` : '';
    return `${what} ${text}${all.length === 0 ? '' : `: ${all.slice(0, SHOWN_LINES).join(', ')}${more}`}`;
  });
  const distinct = [...new Set(lines)];
  if (distinct.length === 0) return null;
  return (
    <div class="notice deprecated">
      <p>Review:</p>
      <ul>
        {distinct.slice(0, SHOWN).map((line) => (
          <li key={line}>{line}</li>
        ))}
        {distinct.length > SHOWN && <li>and {distinct.length - SHOWN} more</li>}
      </ul>
    </div>
  );
}
