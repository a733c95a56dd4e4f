import type { Command } from 'commander';

/** Which clusters a live verb is about. */
export type ClusterOptions = Readonly<{
  kubeconfig?: readonly string[];
  context?: readonly string[];
  cluster?: readonly string[];
}>;

/** For the help of every verb that asks clusters. */
export const CLUSTER_HELP = `
Which clusters: every context of the files named with --kubeconfig, or of FLOTILLA_KUBECONFIG; else those of "flotilla
clusters add"; else the current context of kubectl. --cluster (or --context) takes some of them.`;

/** Adds the options that name clusters. */
export const withClusterOptions = (command: Command): Command =>
  command
    .option('--kubeconfig <file>', 'kubeconfig with the clusters; may be given several times', gathered)
    .option('--context <name>', 'a context of kubectl; may be given several times', gathered)
    .option('-C, --cluster <name>', 'only this cluster; may be given several times', gathered);

export const gathered = (value: string, all: readonly string[] = []): string[] => [...all, value];
