import { useState } from 'preact/hooks';
import type { OfferedDecision } from '#core/view/questions/offered-decisions';
import type { RolloutSummary } from '../../../src/api/lists.schema.js';
import { Dialog } from '../../parts/dialog.js';

type ConfirmProps = Readonly<{
  of: RolloutSummary;
  decision: OfferedDecision;
  effect: string;
  reason: string;
  onClose: () => void;
  onDecide: () => void;
}>;

/** Names the class of clusters that go back. */
const RETURNS = 'rollback';

/** True if the decision stops the rollout or takes clusters back: then its name must be typed. */
const mustType = ({ action, class: name }: OfferedDecision): boolean =>
  action === 'Abort' || action === 'Rollback' || name === RETURNS;

/** Repeats a decision with its reason before it is made. */
export function ConfirmDecision({ of, decision, effect, reason, onClose, onDecide }: ConfirmProps) {
  const [typed, setTyped] = useState('');
  const name = of.id.split('/')[1] ?? of.id;
  const isReady = !mustType(decision) || typed.trim() === name;
  const verb = decision.action === 'Rollback' ? 'Roll back' : decision.action;
  return (
    <Dialog title={`${verb}: ${of.package} → ${of.target}`} onClose={onClose}>
      <form
        method="dialog"
        onSubmit={(event) => {
          event.preventDefault();
          if (isReady) onDecide();
        }}
      >
        <p>{effect}</p>
        <p class="pale">Reason: {reason}</p>
        {mustType(decision) && (
          <label class="typed">
            Type {name} to go on{' '}
            <input type="text" value={typed} onInput={(event) => setTyped(event.currentTarget.value)} />
          </label>
        )}
        <p class="dialog-end">
          <button type="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" class="primary" disabled={!isReady}>
            {verb}
          </button>
        </p>
      </form>
    </Dialog>
  );
}
