import { useState } from 'preact/hooks';
import { shellWord } from '#core/kernel/text/shell-word';
import type { RolloutSummary } from '../../../src/api/lists.schema.js';
import { counted } from '../../live/times.js';
import { CodeBlock } from '../../parts/copy.js';
import { Section } from '../../parts/page.js';

type Decision = Readonly<{ verb: string; narrowed?: string; what: string }>;

const OPEN = ['Planning', 'Progressing'];
const STOPPED = ['Paused', 'Halted'];
const MAY_GO_BACK = ['Completed', 'Aborted', 'Halted', 'Paused', 'Progressing'];

/** What applies to a roll-out as it stands (design: fleet.md §1.6). */
function decisionsOn({ phase, waves, classes, finishedAt }: RolloutSummary): Decision[] {
  const isOpen = finishedAt === '' && phase !== 'RollingBack';
  const sum = (key: 'done' | 'failed' | 'underWay') => waves.reduce((total, wave) => total + wave[key], 0);
  const held = waves.filter(
    (wave) => ['AwaitingPromotion', 'Soaking'].includes(wave.phase) || wave.note.includes('not enough successes'),
  );
  return [
    ...classes.map(({ hash, clusters }) => ({
      ...{ verb: 'approve', narrowed: `--class ${shellWord(hash)}` },
      what: `approve plan class ${hash}, which ${counted(clusters, 'cluster')} would carry out; it shows first what changes`,
    })),
    ...(OPEN.includes(phase) ? [{ verb: 'pause', what: 'pause it: nothing starts, what runs ends' }] : []),
    ...(STOPPED.includes(phase)
      ? [{ verb: 'resume', what: 'let it go on; of one that has stopped the failures so far are forgiven' }]
      : []),
    ...(isOpen
      ? held.map(({ name }) => ({
          ...{ verb: 'promote', narrowed: `--wave ${shellWord(name)}` },
          what: `promote wave ${name}: open it, end its soak, or take it as complete`,
        }))
      : []),
    ...((isOpen && sum('failed') > 0) || ['RolledBack', 'Aborted'].includes(phase)
      ? [{ verb: 'retry', what: 'try again where it failed or went back' }]
      : []),
    ...(isOpen ? [{ verb: 'abort', what: 'end it: nothing further starts, and nothing is undone' }] : []),
    ...(MAY_GO_BACK.includes(phase) && sum('done') + sum('failed') + sum('underWay') > 0
      ? [
          {
            verb: 'rollback',
            what: 'take it back in every cluster that it changed, if it is the newest of its operator',
          },
        ]
      : []),
  ];
}

/** Decisions are made in one's own name, which the hub's API checks: the page gives the commands. */
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
        Each decision is kept under the name of who runs its command. Without a reason here the command asks for it.
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
