import { useState } from 'preact/hooks';
import { shellWord } from '#core/kernel/text/shell-word';
import { WITHDRAWN_ABORT } from '#core/rollout/controller/step/withdrawn';
import { type OfferedDecision, offeredDecisions } from '#core/view/questions/offered-decisions';
import type { RolloutSummary } from '../../../src/api/lists.schema.js';
import { counted } from '../../live/times.js';
import { CodeBlock } from '../../parts/copy.js';
import { Section } from '../../parts/page.js';

/** Shortest reason that the hub API accepts. */
const SHORTEST_REASON = 3;

/** Describes the effect of a decision. */
function effectOf({ action, class: name, wave }: OfferedDecision, of: RolloutSummary): string {
  const known = of.classes.find(({ hash }) => hash === name);
  switch (action) {
    case 'Approve':
      return `Approve plan class ${name}${known?.lapsed ? ' again' : ''}: ${counted(known?.clusters ?? 0, 'cluster')}. ${known?.lapsed ? 'It changes more than was approved. ' : ''}The command shows first what changes.`;
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

type LinesProps = Readonly<{ of: RolloutSummary; decisions: readonly OfferedDecision[]; reason: string }>;

const Lines = ({ of, decisions, reason }: LinesProps) => (
  <ol class="advice">
    {decisions.map((one) => (
      <li key={`${one.action}${one.class}${one.wave}`}>
        <p>{effectOf(one, of)}</p>
        <CodeBlock text={commandOf(of.id, one, reason)} label={`Command to ${one.action.toLowerCase()}`} />
      </li>
    ))}
  </ol>
);

/**
 * Shows the decisions that take effect now, each with its command: the hub API checks the person who runs it.
 * Those that stop or undo the rollout stand apart.
 */
export function Decisions({ of }: { of: RolloutSummary }) {
  const [text, setReason] = useState('');
  const reason = text.trim();
  const offered = offeredDecisions(of);
  if (offered.length === 0) return null;
  const [back, on] = [offered.filter(goesBack), offered.filter((one) => !goesBack(one))];
  return (
    <Section title="To decide">
      <p class="pale">
        Decisions are recorded under the name of whoever runs the command. Without a reason here the command asks for
        it.
      </p>
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
      {on.length > 0 && <Lines of={of} decisions={on} reason={reason} />}
      {back.length > 0 && (
        <div class="goes-back">
          <h3>Stop or undo it</h3>
          <Lines of={of} decisions={back} reason={reason} />
        </div>
      )}
    </Section>
  );
}
