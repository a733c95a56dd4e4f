import { type Command, Option } from 'commander';
import type { Io } from '../io.js';
import { CLUSTER_HELP, type ClusterOptions, gathered, withClusterOptions } from '../live/cluster-options.js';

type Options = ClusterOptions & Readonly<{ hub?: readonly string[]; output: 'text' | 'json' }>;

const HELP = `
The hub is asked where the settings say that its services listen (FLOTILLA_CATALOG_POLLER_PORT and so on); --hub names
another address, such as that of "flotilla up --port". Without a hub everything is told by the clusters alone.
${CLUSTER_HELP}
Exit code 0, whatever waits; 3 where no cluster answers.

Examples:
  flotilla status
  flotilla status --hub http://127.0.0.1:9000 -C east
  flotilla status -o json | jq -r '.waiting[] | select(.standing == "needs-approval") | .todo[0]'`;

/** `flotilla status`: hub, queues, clusters, and what waits and why. */
export const statusCommand = (program: Command, io: Io): Command =>
  withClusterOptions(program.command('status'))
    .description('one screen: the hub, its queues, the clusters, and what waits and why, the most urgent first')
    .option('--hub <url>', 'address of a service of the hub; may be given several times', gathered)
    .addOption(new Option('-o, --output <format>', 'form of the answer').choices(['text', 'json']).default('text'))
    .addHelpText('after', HELP)
    .action(async ({ hub = [], output, ...options }: Options) => {
      const [{ withClusters }, { fleetStatus }, { commandSettings }] = await Promise.all([
        import('../live/open-clusters.js'),
        import('../live/fleet-status.js'),
        import('../command-settings.js'),
      ]);
      const settings = commandSettings(process.env);
      await withClusters(options, (clients) => fleetStatus(clients, io, settings, { hub, output }));
    });
