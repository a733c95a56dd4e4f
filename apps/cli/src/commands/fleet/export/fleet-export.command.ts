import type { Command } from 'commander';
import { FLEET_HELP, type FleetOptions, withFleetOptions } from '../../../clusters/cluster-options.js';
import { namespaceOption } from '../../../clusters/namespace-option.js';
import { type Io, UsageError } from '../../../terminal/io.js';
import { FLEET_STORE_HELP, type FleetHubOptions } from '../hub/hub-options.js';

const HELP = `
--from-clusters reads clusters and writes the first manifests of their fleet: a FleetCluster each, a FleetCatalog for each
catalog image, a FleetOperator with adopt: true for each package and namespace, and a strategy to edit. It writes nothing to
clusters.
--audit prints all decisions with their authors: FleetRollouts, FleetPlans and FleetDecisions of the hub, one JSON object a
line.
Without both it writes the objects of people in the hub, without statuses, ready for Git.
Without --out the manifests go to standard output. The folder of --out must be empty.
${FLEET_HELP}
${FLEET_STORE_HELP}

Examples:
  flotilla fleet export --from-clusters --context east --context west --out fleet/
  flotilla fleet export --out backup/
  flotilla fleet export --audit | jq 'select(.type == "FleetDecision")'`;

type Options = FleetOptions &
  FleetHubOptions &
  Readonly<{ fromClusters?: boolean; audit?: boolean; out?: string; namespace: string }>;

/** Registers `flotilla fleet export`: manifests of a fleet, or its audit. */
export const fleetExportCommand = (fleet: Command, io: Io): Command =>
  withFleetOptions(fleet.command('export'))
    .description('write the manifests of a fleet, from clusters or from its hub, or the audit log of its decisions')
    .option('--fleet <dir|context>', 'folder of the fleet, context of its hub, or in-cluster (default: FLOTILLA_FLEET)')
    .option('--from-clusters', 'from the objects of clusters')
    .option('--audit', 'print the decisions with their authors, as JSON lines')
    .option('--out <dir>', 'the folder to write to')
    .addOption(namespaceOption('the namespace in the hub for the objects of --from-clusters').default('fleet'))
    .addHelpText('after', HELP)
    .action(
      async ({ fromClusters = false, audit = false, out, namespace, allowMissing = false, ...options }: Options) => {
        if (fromClusters && audit) throw new UsageError('--from-clusters and --audit exclude each other; choose one');
        if (audit && out !== undefined) throw new UsageError('--audit prints to standard output: remove --out');
        if (fromClusters) {
          const [{ withClusters }, { exportClusters }] = await Promise.all([
            import('../../../clusters/open-clusters.js'),
            import('./export-clusters.js'),
          ]);
          const how = { out, namespace, allowMissing };
          return withClusters(io, options, (clients) => exportClusters(clients, io, how));
        }
        const [{ withHub }, { exportAudit, exportHub }] = await Promise.all([
          import('../hub/open-hub.js'),
          import('./export-hub.js'),
        ]);
        await withHub(options, io, (hub) => (audit ? exportAudit(hub, io) : exportHub(hub, io, out)));
      },
    );
