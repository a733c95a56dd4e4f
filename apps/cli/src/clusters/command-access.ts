import { type CommandAccess, contextAccess } from '#core/cluster/advice/command-in';
import { contextOption, shellWord } from '#core/kernel/text/shell-word';
import { kubectlFiles } from '#platform/kube/access/load-clusters';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import type { ClusterOptions } from './cluster-options.js';

/** The cluster in commands of `flotilla`. */
export type OwnAccess = Readonly<{
  /** The options that lead to it. */
  options: string;
  /** Its name, and the options that lead to it, for verbs that take the name as an argument. */
  named: string;
}>;

/** Returns the options that ask the same clusters again. */
export const optionsOf = ({ kubeconfig = [], context = [], cluster = [] }: ClusterOptions): readonly string[] => [
  ...kubeconfig.map((file) => `--kubeconfig ${shellWord(file)}`),
  ...context.map((name) => contextOption(name)),
  ...cluster.map((name) => `-C ${shellWord(name)}`),
];

const isFileSet = (): boolean => (process.env['FLOTILLA_KUBECONFIG'] ?? '') !== '';

/**
 * Returns the access as {@link commandAccess} does, for commands of `flotilla`. If only one file is given, a
 * cluster has the name of its context.
 */
export function ownAccess(client: KubeClient, options: ClusterOptions): OwnAccess {
  const { kubeconfig = [], context = [] } = options;
  const isGiven = kubeconfig.length > 0 && client.login !== undefined;
  const name = shellWord(isGiven ? client.login.context : client.cluster);
  const own = commandAccess(client, options).options?.flotilla ?? `-C ${name}`;
  const isNamed = isGiven || (context.length > 0 && !isFileSet());
  return { options: own, named: isNamed ? `${name} ${own}` : name };
}

/** Returns the next command's access to the cluster: with its file, unless kubectl reads that by itself. */
export function commandAccess(
  { cluster, login }: KubeClient,
  { kubeconfig = [], context: contexts = [] }: ClusterOptions,
): CommandAccess {
  if (login === undefined) return { cluster };
  const { file, context } = login;
  const isGiven = kubeconfig.length > 0;
  const isNamed = isGiven || isFileSet() || !kubectlFiles(process.env).includes(file);
  const isChosen = contexts.length > 0 && !isFileSet();
  return contextAccess({ cluster, context, isChosen, ...(isNamed && { kubeconfig: file, isGiven }) });
}
