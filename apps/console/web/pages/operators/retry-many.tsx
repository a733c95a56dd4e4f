import { useState } from 'preact/hooks';
import type { OperatorRow } from '#core/view/rows/rows';
import type { Selecting } from '../../list/selection.js';
import { useAction } from '../../live/act.js';
import { type AskFailure, refusalFrom } from '../../live/ask.js';
import type { Query } from '../../live/query.js';
import { count, counted } from '../../live/times.js';
import { Dialog } from '../../parts/dialog.js';
import { Outcomes } from '../../parts/outcome.js';
import { Trouble } from '../../parts/states.js';
import { type FailedPlans, failedPlans, retryRequests } from './failed-plans.js';

const NAMED = 20;
/** Requests of one decision: the server takes sixty a minute. */
const MOST_REQUESTS = 50;

type RetryManyProps = Readonly<{ of: Selecting<OperatorRow>; asked: Query }>;

/** Shows the selection, and retries its failed plans. */
export function RetryMany({ of, asked }: RetryManyProps) {
  const [found, setFound] = useState<FailedPlans>();
  const [state, setState] = useState<Readonly<{ reading?: boolean; refusal?: AskFailure }>>({});
  const action = useAction();
  const look = async () => {
    setState({ reading: true });
    try {
      setFound(await failedPlans(of, asked));
      setState({});
    } catch (error) {
      setState({ refusal: refusalFrom(error) });
    }
  };
  return (
    <>
      {of.count > 0 && (
        <p class="act-bar">
          <span role="status" class="selected">
            {counted(of.count, 'operator')} selected
            {of.all && (of.rows.size === 0 ? ': all that match the filter' : `: all but ${count(of.rows.size)}`)}
          </span>
          <button type="button" disabled={state.reading || action.busy} onClick={() => void look()}>
            Retry failed plans…
          </button>
          <button type="button" class="plain" onClick={of.clear}>
            Select none
          </button>
        </p>
      )}
      {state.refusal && <Trouble refusal={state.refusal} since={undefined} />}
      {found && (
        <Confirm
          of={found}
          onClose={() => setFound(undefined)}
          onRetry={() => {
            setFound(undefined);
            action.act(...retryRequests(found.plans));
            of.clear();
          }}
        />
      )}
      <Outcomes answer={action.answer} refusal={action.refusal} />
    </>
  );
}

function Confirm({ of, onClose, onRetry }: { of: FailedPlans; onClose: () => void; onRetry: () => void }) {
  const clusters = [...new Set(of.plans.map(({ cluster }) => cluster))];
  const tooMany = retryRequests(of.plans).length > MOST_REQUESTS;
  const ready = of.plans.length > 0 && !tooMany;
  return (
    <Dialog
      title={of.plans.length === 0 ? 'No plan has failed here.' : `Retry ${counted(of.plans.length, 'plan')}?`}
      onClose={onClose}
    >
      <form
        method="dialog"
        onSubmit={(event) => {
          event.preventDefault();
          if (ready) onRetry();
        }}
      >
        {of.plans.length > 0 && (
          <>
            <p>
              In {counted(clusters.length, 'cluster')} a new plan replaces the failed plan. Fix the cause first:
              otherwise the new plan fails again.
            </p>
            <p class="pale">
              {clusters.slice(0, NAMED).join(', ')}
              {clusters.length > NAMED && ` and ${count(clusters.length - NAMED)} more`}
            </p>
          </>
        )}
        {of.plans.length === 0 && <p>None of the selected operators has a failed InstallPlan.</p>}
        {tooMany && (
          <p class="notice">
            These are more than {MOST_REQUESTS} different plans, too many for one decision: narrow the filter, such as
            to one package.
          </p>
        )}
        <p class="dialog-end">
          <button type="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" class="primary" disabled={!ready}>
            Retry
          </button>
        </p>
      </form>
    </Dialog>
  );
}
