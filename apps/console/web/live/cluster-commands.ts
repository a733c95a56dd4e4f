import { type AdviceParts, adviceParts } from '#core/cluster/advice/advice-parts';
import { accessOfPeople, type CommandAccess, commandIn } from '#core/cluster/advice/command-in';
import { shellWord } from '#core/kernel/text/shell-word';
import type { ClusterRow } from '#core/view/rows/rows';

/** Access of people to a cluster: a row has the context and the file that lead there, if they are known. */
export type Reached = Pick<ClusterRow, 'cluster' | 'context' | 'kubeconfig'>;

function accessTo({ cluster, context, kubeconfig }: Reached): CommandAccess {
  const login = context === undefined ? undefined : { context, ...(kubeconfig !== undefined && { kubeconfig }) };
  return accessOfPeople(cluster, login);
}

/**
 * Returns advice for a cluster with its command. The command reaches the cluster like advice of the hub and
 * of the command line does.
 */
export const todoIn = (of: Reached, todo: string): AdviceParts => adviceParts(commandIn(accessTo(of), todo));

/** Returns the command that previews a hand-over from OLM. The verb names its cluster itself. */
export function handOverCheck(of: Reached): AdviceParts {
  const lead = 'Show the steps of a hand-over from OLM';
  const { cluster, context = cluster } = of;
  const options = accessTo(of).options?.kubectl;
  // A command that reads one file alone knows the cluster by the name of its context.
  const name = shellWord(of.kubeconfig === undefined ? cluster : context);
  const command = ['flotilla clusters handover', name, options ?? '--kubeconfig FILE', '--from olm --dry-run'];
  const where = options === undefined ? `, with a login to cluster ${cluster} in FILE` : '';
  return { text: `${lead}${where}:`, command: command.join(' ') };
}
