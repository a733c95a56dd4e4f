import { useState } from 'preact/hooks';
import { shellWord } from '#core/kernel/text/shell-word';
import { WITHDRAWN_ABORT } from '#core/rollout/controller/step/withdrawn';
import type { RolloutSummary } from '../../../src/api/lists.schema.js';
import { counted } from '../../live/times.js';
import { CodeBlock } from '../../parts/copy.js';
import { Section } from '../../parts/page.js';

type Decision = Readonly<{ verb: string; narrowed?: string; what: string }>;

const OPEN = ['Planning', 'Progressing'];
const STOPPED = ['Paused', 'Halted'];
const MAY_GO_BACK = ['Completed', 'Aborted', 'Halted', 'Paused', 'Progressing'];

const sum = ({ waves }: RolloutSummary, key: 'done' | 'failed' | 'underWay'): number =>
  waves.reduce((total, wave) => total + wave[key], 0);
const isOpen = ({ phase, finishedAt }: RolloutSummary): boolean => finishedAt === '' && phase !== 'RollingBack';

/** Returns the decisions that apply to the present state of a roll-out (design: fleet.md §1.6). */
function decisionsOn(of: RolloutSummary): Decision[] {
  const { phase, withdrawn } = of;
  const isChanged = sum(of, 'done') + sum(of, 'failed') + sum(of, 'underWay') > 0;
  const end = withdrawn ? WITHDRAWN_ABORT : 'Abort: start nothing new, roll nothing back';
  return [
    // Nothing brings a target that was withdrawn; a roll-back still waits for its approval.
    ...(withdrawn && phase !== 'RollingBack' ? [] : decisionsToGoOn(of)),
    ...(isOpen(of) ? [{ verb: 'abort', what: end }] : []),
    ...(MAY_GO_BACK.includes(phase) && isChanged
      ? [
          {
            verb: 'rollback',
            what: 'Roll back every changed cluster (only the newest rollout of its operator)',
          },
        ]
      : []),
  ];
}

function decisionsToGoOn(of: RolloutSummary): Decision[] {
  const { phase, waves, classes } = of;
  const held = waves.filter(
    (wave) => ['AwaitingPromotion', 'Soaking'].includes(wave.phase) || wave.note.includes('not enough successes'),
  );
  return [
    ...classes.map(({ hash, clusters, lapsed }) => ({
      ...{ verb: 'approve', narrowed: `--class ${shellWord(hash)}` },
      what: `Approve plan class ${hash}${lapsed ? ' again' : ''} for ${counted(clusters, 'cluster')}${lapsed ? ': it changes more than was approved' : ''}; the command first shows the changes`,
    })),
    ...(OPEN.includes(phase) ? [{ verb: 'pause', what: 'Pause: start nothing new; let running upgrades finish' }] : []),
    ...(STOPPED.includes(phase) ? [{ verb: 'resume', what: 'Resume, ignoring failures so far' }] : []),
    ...(isOpen(of)
      ? held.map(({ name }) => ({
          ...{ verb: 'promote', narrowed: `--wave ${shellWord(name)}` },
          what: `Promote wave ${name}: open it, end its soak, or complete it`,
        }))
      : []),
    ...((isOpen(of) && sum(of, 'failed') > 0) || ['RolledBack', 'Aborted'].includes(phase)
      ? [{ verb: 'retry', what: 'Retry failed and rolled-back clusters' }]
      : []),
  ];
}

/** Shows commands for decisions: people decide in their own names, and the hub's API checks the name. */
export function Decisions({ of }: { of: RolloutSummary }) {
  const [reason, setReason] = useState('');
  const [namespace = '', name = ''] = of.id.split('/');
  const decisions = decisionsOn(of);
  if (decisions.length === 0) return null;
  const given = reason.trim().length < 3 ? '' : ` --reason ${shellWord(reason.trim())}`;
  const command = ({ verb, narrowed }: Decision) =>
    `flotilla fleet ${verb} ${shellWord(name)} -n ${shellWord(namespace)}${narrowed === undefined ? '' : ` ${narrowed}`}${given}`;
  return (
    <Section title="To decide">
      <p class="pale">
        Decisions are recorded under the name of the user who runs the command. If you give no reason here, the command
        asks for it.
      </p>
      <label class="comment">
        Reason{' '}
        <input
          type="text"
          value={reason}
          maxLength={1_000}
          placeholder="CHG-1182"
          onInput={(event) => setReason(event.currentTarget.value)}
        />
      </label>
      <ol class="advice">
        {decisions.map((one) => (
          <li key={`${one.verb} ${one.narrowed}`}>
            <p>{one.what}</p>
            <CodeBlock text={command(one)} label={`Command to ${one.verb}`} />
          </li>
        ))}
      </ol>
    </Section>
  );
}
