import { type CommandAccess, contextAccess } from '#core/cluster/advice/command-in';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import type { ClusterOptions } from './cluster-options.js';

/** How the next command reaches the cluster: with the file where this one was given it. */
export function commandAccess({ cluster, login }: KubeClient, { kubeconfig = [] }: ClusterOptions): CommandAccess {
  if (login === undefined) return { cluster };
  const { file, context } = login;
  const isGiven = kubeconfig.length > 0;
  const isNamed = isGiven || (process.env['FLOTILLA_KUBECONFIG'] ?? '') !== '';
  return contextAccess({ cluster, context, ...(isNamed && { kubeconfig: file, isGiven }) });
}
