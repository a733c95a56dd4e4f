import type { Command } from 'commander';
import { FLEET_HELP, type FleetOptions, withFleetOptions } from '../../clusters/cluster-options.js';
import { namespaceOption } from '../../clusters/namespace-option.js';
import { HUB_HELP, hubsOption } from '../../hub/hub-address.js';
import { ANSWER_FORMATS, type AnswerFormat, outputOption } from '../../output/output-option.js';
import { type Io, UsageError } from '../../terminal/io.js';

type Options = FleetOptions &
  Readonly<{
    hub?: readonly string[];
    namespace?: string;
    allNamespaces?: boolean;
    all?: boolean;
    output: AnswerFormat;
  }>;

const HELP = `${HUB_HELP}
A hub that manages none of these clusters is left out. Without a hub only the clusters report.
${FLEET_HELP}
Objects with the same cause are one entry; --all lists each object.
With -n the command reads only that namespace and the catalogs visible to it, so rights there are enough. It names everything
that it may not read.
Exit code 0, even if objects wait; 3 if a cluster, or a hub named with --hub, does not answer or refuses the login.

Examples:
  flotilla status
  flotilla status -n team
  flotilla status --hub http://127.0.0.1:9000 -C east
  flotilla status -o json | jq -r '.waiting[] | select(.standing == "needs-approval") | .todo[0]'`;

/** Registers `flotilla status`: hub, queues, clusters, and waiting objects with their reasons. */
export const statusCommand = (program: Command, io: Io): Command =>
  withFleetOptions(program.command('status'))
    .description('show the hub, its queues, the clusters and waiting objects with their causes, the most urgent first')
    .addOption(hubsOption())
    .addOption(namespaceOption('only this namespace (default: all)'))
    .option('-A, --all-namespaces', 'all namespaces, as without -n')
    .option('--all', 'show every object separately, without limit')
    .addOption(outputOption('form of the answer', ANSWER_FORMATS))
    .addHelpText('after', HELP)
    .action((options: Options) => status(options, io));

async function status(options: Options, io: Io): Promise<void> {
  const { hub = [], namespace, allNamespaces = false, all = false, output, allowMissing = false } = options;
  if (allNamespaces && namespace !== undefined) throw new UsageError('-n and -A exclude each other; choose one');
  const [{ withClusters }, { showStatus }, { commandSettings }] = await Promise.all([
    import('../../clusters/open-clusters.js'),
    import('./show-status.js'),
    import('../../hub/command-settings.js'),
  ]);
  const asked = { ...options, hub, namespace, all, output, allowMissing };
  const settings = commandSettings(process.env);
  await withClusters(io, options, (clients) => showStatus(clients, io, settings, asked));
}
