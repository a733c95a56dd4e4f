import type { Command } from 'commander';
import { parseDuration } from '#platform/config/duration';
import { CLUSTER_HELP, type ClusterOptions, withClusterOptions } from '../../clusters/cluster-options.js';
import { namespaceOption } from '../../clusters/namespace-option.js';
import { HUB_HELP, hubOption } from '../../hub/hub-address.js';
import { type Io, UsageError } from '../../terminal/io.js';

const HELP = `
"migrate subscription NAME -n NAMESPACE" turns an operator of OLM Classic into a ClusterExtension of the same bundle. It first
names the obstacles, each with advice: dependencies, watched namespaces, webhooks, other Subscriptions of the package, an
OperatorCondition that blocks upgrades. Then it deletes the Subscription, a revision takes over the running objects, it deletes
the ClusterServiceVersion, and makes the ClusterExtension. Pods are not restarted; the command checks that at the end.
"migrate extension NAME" goes back, while the version is the one that was moved.
Both work with your login, with or without a hub, and can be repeated, also after an interruption.
${HUB_HELP}
${CLUSTER_HELP}
Exit codes: 0 done; 1 refused, or an operator did not run on; 3 the cluster did not answer, or a step took too long.

Examples:
  flotilla migrate subscription lamp -n lights -C east --dry-run
  flotilla migrate subscription lamp -n lights -C east
  flotilla migrate extension lamp -C east`;

type Options = ClusterOptions &
  Readonly<{ namespace?: string; extension?: string; dryRun?: boolean; timeout: string; hub?: string }>;

/** Registers `flotilla migrate subscription|extension NAME`. */
export const migrateCommand = (program: Command, io: Io): Command =>
  withClusterOptions(
    program.command('migrate').argument('<kind>', 'subscription (sub) or extension').argument('<name>'),
  )
    .description('convert a Subscription to a ClusterExtension, or back, without restarts')
    .addOption(namespaceOption('the namespace of the Subscription'))
    .option('--extension <name>', 'name of the ClusterExtension (default: the name of the package)')
    .option('--dry-run', 'check, print the changes, and change nothing')
    .option('--timeout <duration>', 'time limit of a step', '2m')
    .addOption(hubOption())
    .addHelpText('after', HELP)
    .action((kind: string, name: string, options: Options) => migrate(kind.toLowerCase(), name, options, io));

async function migrate(kind: string, name: string, options: Options, io: Io): Promise<void> {
  const { namespace, extension, dryRun = false, timeout, hub } = options;
  const isThere = ['subscription', 'subscriptions', 'sub'].includes(kind);
  if (!isThere && !['extension', 'clusterextension'].includes(kind)) {
    throw new UsageError(`objects of kind "${kind}" cannot be converted; name a subscription or an extension`);
  }
  const timeoutMs = parseDuration(timeout);
  if (timeoutMs === undefined) throw new UsageError(`invalid --timeout "${timeout}": expected a duration such as 2m`);
  const [{ withOneCluster }, { commandAccess }] = await Promise.all([
    import('../../clusters/open-clusters.js'),
    import('../../clusters/command-access.js'),
  ]);
  if (!isThere) {
    const { migrateExtension } = await import('./to-subscription.js');
    return withOneCluster(io, options, (client) => migrateExtension(client, io, { name, dryRun, timeoutMs }));
  }
  if (namespace === undefined) throw new UsageError('specify the namespace of the Subscription with -n');
  const { migrateSubscription } = await import('./to-extension.js');
  await withOneCluster(io, options, (client) => {
    const access = commandAccess(client, options);
    return migrateSubscription(client, io, { name, namespace, extension, dryRun, timeoutMs, hub, access });
  });
}
