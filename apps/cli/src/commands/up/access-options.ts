import { contextOption, shellWord } from '#core/kernel/text/shell-word';

/** What the command line, and the files of a fleet, name. */
export type NamedClusters = Readonly<{ kubeconfigs: readonly string[]; contexts: readonly string[] }>;

/** More contexts than this are not typed: the files are named with all of theirs. */
const MOST_CONTEXTS = 10;

const filesOf = ({ kubeconfigs }: NamedClusters): string[] =>
  kubeconfigs.map((file) => `--kubeconfig ${shellWord(file)}`);

/** The options by which a command reaches one of the clusters, whatever the current context is. */
export const accessOf =
  (named: NamedClusters) =>
  (cluster: string): string =>
    [...filesOf(named), contextOption(cluster)].join(' ');

/** As {@link accessOf}, for all clusters that were named: none where commands take them by themselves. */
export function accessToAll(named: NamedClusters): readonly string[] {
  const contexts = [...new Set(named.contexts)];
  return [...filesOf(named), ...(contexts.length > MOST_CONTEXTS ? [] : contexts.map(contextOption))];
}
