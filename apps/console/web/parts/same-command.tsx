import type { Reached } from '../live/cluster-commands.js';
import { todoIn } from '../live/cluster-commands.js';
import { Copy } from './copy.js';

type SameCommandProps = Readonly<{
  command: string;
  /** The cluster that the command asks. Absent: the command asks all clusters, or none. */
  in?: Reached | undefined;
  /** The purpose of a command with another answer than that of the page. */
  lead?: string;
}>;

/** The command that answers the page's question in a terminal, at the foot of the page. */
export function SameCommand({ command, in: cluster, lead = 'The same in a terminal' }: SameCommandProps) {
  const { text, command: whole } = cluster ? todoIn(cluster, `${lead}: ${command}`) : { text: lead, command };
  return (
    <footer class="same-command">
      <span class="pale">{text.replace(/\.$/, '')}</span>
      <code>{whole}</code>
      <Copy text={whole} label="Copy command" />
    </footer>
  );
}
