import { optionsOfPeople } from '#core/cluster/advice/command-in';
import { contextOption, shellWord } from '#core/kernel/text/shell-word';
import { kubectlFiles } from '#platform/kube/access/load-clusters';
import type { ClusterLogin } from '#platform/kube/client/kube-client.port';

/** The clusters that the command line, and the files of a fleet, name. */
export type NamedClusters = Readonly<{ kubeconfigs: readonly string[]; contexts: readonly string[] }>;

/** More contexts than this are not typed: the files are named with all of theirs. */
const MOST_CONTEXTS = 10;

const filesOf = ({ kubeconfigs }: NamedClusters): string[] =>
  kubeconfigs.map((file) => `--kubeconfig ${shellWord(file)}`);

/**
 * Returns the options with which commands of kubectl and ours reach one of the clusters, whatever the current
 * context is. They are the file and the context of its login. Two files may have contexts of one name.
 */
export const accessOf =
  (loginOf: (cluster: string) => ClusterLogin | undefined, environment = process.env) =>
  (cluster: string): string => {
    const login = loginOf(cluster);
    if (login === undefined) return optionsOfPeople(undefined);
    const { file, context } = login;
    return optionsOfPeople({ context, ...(kubectlFiles(environment).includes(file) ? {} : { kubeconfig: file }) });
  };

/**
 * Returns the options as {@link accessOf} does, for all named clusters. There are none if commands take the
 * clusters by themselves.
 */
export function accessToAll(named: NamedClusters): readonly string[] {
  const contexts = [...new Set(named.contexts)];
  return [...filesOf(named), ...(contexts.length > MOST_CONTEXTS ? [] : contexts.map(contextOption))];
}
