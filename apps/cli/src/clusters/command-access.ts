import { type CommandAccess, contextAccess } from '#core/cluster/advice/command-in';
import { shellWord } from '#core/kernel/text/shell-word';
import { kubectlFiles } from '#platform/kube/access/load-clusters';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import type { ClusterOptions } from './cluster-options.js';

/** The cluster in commands of `flotilla`: its name, and the options that lead to it. */
export type OwnAccess = Readonly<{ name: string; options: string; isGiven: boolean }>;

/**
 * Returns the access as {@link commandAccess} does, for commands of `flotilla`. If only one file is given, a
 * cluster has the name of its context.
 */
export function ownAccess(client: KubeClient, options: ClusterOptions): OwnAccess {
  const { kubeconfig = [] } = options;
  const isGiven = kubeconfig.length > 0 && client.login !== undefined;
  const name = shellWord(isGiven ? client.login.context : client.cluster);
  return { name, isGiven, options: commandAccess(client, options).options?.flotilla ?? `-C ${name}` };
}

/** Returns the next command's access to the cluster: with its file, unless kubectl reads that by itself. */
export function commandAccess({ cluster, login }: KubeClient, { kubeconfig = [] }: ClusterOptions): CommandAccess {
  if (login === undefined) return { cluster };
  const { file, context } = login;
  const isGiven = kubeconfig.length > 0;
  const isNamed =
    isGiven || (process.env['FLOTILLA_KUBECONFIG'] ?? '') !== '' || !kubectlFiles(process.env).includes(file);
  return contextAccess({ cluster, context, ...(isNamed && { kubeconfig: file, isGiven }) });
}
