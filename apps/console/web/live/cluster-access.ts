import { type AdviceParts, adviceParts } from '#core/cluster/advice/advice-parts';
import { commandIn, contextAccess } from '#core/cluster/advice/command-in';
import { contextOption, shellWord } from '#core/kernel/text/shell-word';
import type { ClusterRow } from '#core/view/rows/rows';
import type { ClusterList } from '../../src/api/lists.schema.js';
import { rowPaths } from './address.js';
import { useLoaded } from './loaded.js';

/** Access of people to a cluster: a row has a context if the hub's kubeconfig has one. */
type Reached = Pick<ClusterRow, 'cluster' | 'context'>;

/**
 * Returns advice for a cluster with its command. The command reaches the cluster like advice of the hub and
 * of the command line does.
 */
export function todoIn({ cluster, context }: Reached, todo: string): AdviceParts {
  return adviceParts(commandIn(context === undefined ? { cluster } : contextAccess({ cluster, context }), todo));
}

/** {@link todoIn} for the page of an object; undefined until the row of its cluster was read. */
export function useTodoIn(cluster: string): ((todo: string) => AdviceParts) | undefined {
  const row = useLoaded<ClusterList>(rowPaths.cluster(cluster)).data?.items[0];
  return row && ((todo) => todoIn(row, todo));
}

/** Returns the command that previews a hand-over from OLM. The verb names its cluster itself. */
export function handOverCheck({ cluster, context }: Reached): AdviceParts {
  const lead = 'Show the steps of a hand-over from OLM';
  const command = `flotilla clusters handover ${shellWord(cluster)}`;
  if (context !== undefined) {
    return { text: `${lead}:`, command: `${command} ${contextOption(context)} --from olm --dry-run` };
  }
  return { text: `${lead}, with a login to cluster ${cluster}:`, command: `${command} --from olm --dry-run` };
}
