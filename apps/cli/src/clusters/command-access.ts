import { type CommandAccess, contextAccess } from '#core/cluster/advice/command-in';
import { shellWord } from '#core/kernel/text/shell-word';
import { kubectlFiles } from '#platform/kube/access/load-clusters';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import type { ClusterOptions } from './cluster-options.js';

/** How commands of `flotilla` name the cluster: its name, and the options that lead to it. */
export type OwnAccess = Readonly<{ name: string; options: string; isGiven: boolean }>;

/**
 * As {@link commandAccess}, for commands of `flotilla`. Of one file alone a cluster has the name of its
 * context.
 */
export function ownAccess(client: KubeClient, options: ClusterOptions): OwnAccess {
  const { kubeconfig = [] } = options;
  const isGiven = kubeconfig.length > 0 && client.login !== undefined;
  const name = shellWord(isGiven ? client.login.context : client.cluster);
  return { name, isGiven, options: commandAccess(client, options).options?.flotilla ?? `-C ${name}` };
}

/** How the next command reaches the cluster: with its file, unless kubectl reads that by itself. */
export function commandAccess({ cluster, login }: KubeClient, { kubeconfig = [] }: ClusterOptions): CommandAccess {
  if (login === undefined) return { cluster };
  const { file, context } = login;
  const isGiven = kubeconfig.length > 0;
  const isNamed =
    isGiven || (process.env['FLOTILLA_KUBECONFIG'] ?? '') !== '' || !kubectlFiles(process.env).includes(file);
  return contextAccess({ cluster, context, ...(isNamed && { kubeconfig: file, isGiven }) });
}
