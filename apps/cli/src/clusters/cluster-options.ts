import type { Command } from 'commander';

/** The clusters that a live verb asks, and the time that each may take to answer. */
export type ClusterOptions = Readonly<{
  kubeconfig?: readonly string[];
  context?: readonly string[];
  cluster?: readonly string[];
  /** A duration such as `30s`; checked when clusters are opened. */
  requestTimeout?: string;
}>;

/** The options of {@link ClusterOptions}, for verbs that ask several clusters and report one answer. */
export type FleetOptions = ClusterOptions & Readonly<{ allowMissing?: boolean }>;

/** Notes for the help of every verb that asks clusters. */
export const CLUSTER_HELP = `
Which clusters: every context of the --kubeconfig files. Without --kubeconfig: every context of FLOTILLA_KUBECONFIG, or those
in FLOTILLA_CONTEXTS if it is set. Without both: the clusters of "flotilla clusters add", otherwise the current context of
kubectl. --cluster and --context each select some of them.`;

/** Notes for the help of every verb that asks several clusters. */
export const FLEET_HELP = `${CLUSTER_HELP}
A cluster that does not answer is one line on standard error and an entry of "away" in the JSON. The exit code is then 3; with
--allow-missing only if no cluster answers.`;

/** Adds the options that name clusters. */
export const withClusterOptions = (command: Command): Command =>
  withTimeout(
    withKubeconfigs(command).option('-C, --cluster <name>', 'only this cluster; may be given several times', gathered),
  );

/**
 * Adds the options of {@link withClusterOptions} to verbs that take the name of the cluster as an argument.
 */
export const withNamedClusterOptions = (command: Command): Command => withTimeout(withKubeconfigs(command));

const withKubeconfigs = (command: Command): Command =>
  command
    .option('--kubeconfig <file>', 'kubeconfig with the clusters; may be given several times', gathered)
    .option('--context <name>', 'a context of kubectl; may be given several times', gathered);

const withTimeout = (command: Command): Command =>
  command.option('--request-timeout <duration>', 'time limit for an answer of a cluster, such as 30s (default: 10s)');

/** Adds the options of {@link withClusterOptions} to verbs that ask several clusters. */
export const withFleetOptions = (command: Command): Command =>
  withClusterOptions(command).option('--allow-missing', 'do not fail if some clusters do not answer');

export const gathered = (value: string, all: readonly string[] = []): string[] => [...all, value];
