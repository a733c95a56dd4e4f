import { useEffect, useRef, useState } from 'preact/hooks';
import { shellWord } from '#core/kernel/text/shell-word';
import { WITHDRAWN_ABORT } from '#core/rollout/controller/step/withdrawn';
import { type OfferedDecision, offeredDecisions } from '#core/view/questions/offered-decisions';
import type { DeciderAnswer } from '../../../src/api/decisions.schema.js';
import type { RolloutSummary } from '../../../src/api/lists.schema.js';
import { rowPaths } from '../../live/address.js';
import { type Deciding, useDecision } from '../../live/decide.js';
import { useLoaded } from '../../live/loaded.js';
import { me } from '../../live/session.js';
import { counted } from '../../live/times.js';
import { CodeBlock } from '../../parts/copy.js';
import { Section } from '../../parts/page.js';
import { Labelled } from '../../parts/standing.js';
import { Trouble } from '../../parts/states.js';
import { ConfirmDecision } from './confirm-decision.js';

/** Shortest reason that the hub API accepts. */
const SHORTEST_REASON = 3;

const changesOf = ({ class: name }: OfferedDecision, { classes }: RolloutSummary): readonly string[] =>
  classes.find(({ hash }) => hash === name)?.changes ?? [];

/** Describes the effect of a decision. */
function effectOf(decision: OfferedDecision, of: RolloutSummary): string {
  const { action, class: name, wave } = decision;
  const known = of.classes.find(({ hash }) => hash === name);
  const changes = changesOf(decision, of);
  switch (action) {
    case 'Approve':
      return [
        `Approve plan class ${name}${known?.lapsed ? ' again' : ''}: ${counted(known?.clusters ?? 0, 'cluster')}.`,
        known?.lapsed && 'It changes more than was approved.',
        changes.length > 0 && `Its changes: ${changes.join(', ')}.`,
      ]
        .filter(Boolean)
        .join(' ');
    case 'Promote':
      return `Promote wave ${wave}: open it, end its soak, or count it as complete.`;
    case 'Retry':
      return 'Retry the clusters that failed or were rolled back.';
    case 'Resume':
      return 'Resume, ignoring failures so far.';
    case 'Pause':
      return 'Pause: start nothing new; let running upgrades finish.';
    case 'Abort':
      return of.withdrawn
        ? `Abort: ${WITHDRAWN_ABORT}.`
        : 'Abort: start nothing more. Clusters that have the new version keep it.';
    case 'Rollback':
      return 'Roll back every cluster that it changed.';
  }
}

function commandOf(id: string, { action, class: name, wave }: OfferedDecision, reason: string): string {
  const [namespace = '', rollout = ''] = id.split('/');
  const narrowed =
    name === undefined ? (wave === undefined ? '' : ` --wave ${shellWord(wave)}`) : ` --class ${shellWord(name)}`;
  const given = reason.length < SHORTEST_REASON ? '' : ` --reason ${shellWord(reason)}`;
  return `flotilla fleet ${action.toLowerCase()} ${shellWord(rollout)} -n ${shellWord(namespace)}${narrowed}${given}`;
}

const goesBack = ({ action }: OfferedDecision): boolean => action === 'Abort' || action === 'Rollback';

const keyOf = ({ action, class: name, wave }: OfferedDecision): string => [action, name, wave].join(' ');

/** An approval needs kinds of change that were shown, and the right for its class. */
function canDecide(one: OfferedDecision, of: RolloutSummary, decider: DeciderAnswer | undefined): boolean {
  if (decider?.here !== true || !decider.may.includes(one.action)) return false;
  if (one.action !== 'Approve') return true;
  return changesOf(one, of).length > 0 && one.class !== undefined && decider.classes.includes(one.class);
}

/** Reads the rights of the person, and again when other plan classes wait: rights differ between classes. */
function useDecider({ id, classes }: RolloutSummary): DeciderAnswer | undefined {
  const mayHere = me.value?.by === 'oidc';
  const known = useLoaded<DeciderAnswer>(mayHere ? rowPaths.decider(id) : undefined, ({ event }) => event === 'reset');
  const waiting = classes.map(({ hash, changes }) => [hash, ...changes].join()).join(' ');
  const asked = useRef(waiting);
  useEffect(() => {
    if (asked.current === waiting) return;
    asked.current = waiting;
    known.renew();
  }, [waiting]);
  return known.data;
}

type LinesProps = Readonly<{
  of: RolloutSummary;
  decisions: readonly OfferedDecision[];
  reason: string;
  decider: DeciderAnswer | undefined;
  deciding: Deciding;
  choose: (decision: OfferedDecision) => void;
}>;

const NEEDS_REASON = 'needs-reason';

const Lines = ({ of, decisions, reason, decider, deciding, choose }: LinesProps) => (
  <ol class="advice decisions">
    {decisions.map((one) => (
      <li key={keyOf(one)}>
        <p>
          {effectOf(one, of)}
          {one.action === 'Approve' && ' The command shows first what changes.'}
        </p>
        <div class="decision">
          {canDecide(one, of, decider) && (
            <button
              type="button"
              class={goesBack(one) ? '' : 'primary'}
              disabled={reason.length < SHORTEST_REASON || deciding.busy}
              aria-describedby={reason.length < SHORTEST_REASON ? NEEDS_REASON : undefined}
              onClick={() => choose(one)}
            >
              {one.action === 'Rollback' ? 'Roll back' : one.action}…
            </button>
          )}
          <CodeBlock text={commandOf(of.id, one, reason)} label={`Command to ${one.action.toLowerCase()}`} />
        </div>
      </li>
    ))}
  </ol>
);

/** Names the author of decisions, and the reason why only commands are offered. */
function Author({ decider }: { decider: DeciderAnswer | undefined }) {
  if (decider?.here === true && decider.may.length > 0) {
    return (
      <p class="pale" id={NEEDS_REASON}>
        Decisions are recorded as {decider.by}, with this reason. The command beside each does the same.
      </p>
    );
  }
  return (
    <p class="pale" id={NEEDS_REASON}>
      Decisions are recorded under the name of whoever runs the command. Without a reason here the command asks for it.
      {decider !== undefined && decider.because !== '' && ` ${decider.because}`}
    </p>
  );
}

/** A decision as the person reads it before they confirm it. The page below may change meanwhile. */
const askedOf = (decision: OfferedDecision, of: RolloutSummary) => ({
  decision,
  effect: effectOf(decision, of),
  changes: decision.action === 'Approve' ? { changes: [...changesOf(decision, of)] } : {},
});
type Asked = ReturnType<typeof askedOf>;

/**
 * Shows the decisions that take effect now, each with its command. The hub API checks the person who decides.
 * Decisions that stop or undo the rollout are apart from the others.
 */
export function Decisions({ of, renew }: { of: RolloutSummary; renew: () => void }) {
  const [text, setReason] = useState('');
  const [asked, setAsked] = useState<Asked>();
  const deciding = useDecision(of.id, renew);
  const decider = useDecider(of);
  const reason = text.trim();
  const offered = offeredDecisions(of);
  if (offered.length === 0 && deciding.answer === undefined) return null;
  const [back, on] = [offered.filter(goesBack), offered.filter((one) => !goesBack(one))];
  const lines = { of, reason, decider, deciding, choose: (one: OfferedDecision) => setAsked(askedOf(one, of)) };
  return (
    <Section title="To decide">
      <Author decider={decider} />
      <label class="comment">
        Reason{' '}
        <input
          type="text"
          value={text}
          maxLength={1_000}
          placeholder="CHG-1182"
          onInput={(event) => setReason(event.currentTarget.value)}
        />
      </label>
      {deciding.refusal && <Trouble refusal={deciding.refusal} since={undefined} />}
      <End of={deciding} />
      {on.length > 0 && <Lines {...lines} decisions={on} />}
      {back.length > 0 && (
        <div class="goes-back">
          <h3>Stop or undo it</h3>
          <Lines {...lines} decisions={back} />
        </div>
      )}
      {asked && (
        <ConfirmDecision
          of={of}
          decision={asked.decision}
          effect={asked.effect}
          reason={reason}
          onClose={() => setAsked(undefined)}
          onDecide={() => {
            setAsked(undefined);
            deciding.decide({ ...asked.decision, ...asked.changes, reason });
          }}
        />
      )}
    </Section>
  );
}

const ENDS = {
  effective: ['well', 'takes effect'],
  'no-effect': ['blocked', 'has no effect'],
  refused: ['failed', 'was refused'],
  unanswered: ['unknown', 'has no answer yet'],
} as const;

/** The end of the last decision. */
function End({ of: { answer } }: { of: Deciding }) {
  if (answer === undefined) return null;
  const [standing, words] = ENDS[answer.outcome];
  return (
    <p class="outcome" role="status">
      <Labelled of={standing}>
        <span>
          {answer.action === 'Rollback' ? 'Roll back' : answer.action} {words}
        </span>
      </Labelled>
      <span class="pale">
        {answer.message} {answer.decision !== '' && <code>{answer.decision}</code>}
      </span>
    </p>
  );
}
