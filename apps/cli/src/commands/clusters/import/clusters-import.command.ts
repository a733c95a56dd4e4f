import { type Command, Option } from 'commander';
import type { ImportTool } from '#core/kernel/api/fleet/fleet-cluster-source';
import { gathered } from '../../../clusters/cluster-options.js';
import { namespaceOption } from '../../../clusters/namespace-option.js';
import { type Io, UsageError } from '../../../terminal/io.js';
import { FLEET_STORE_HELP, type FleetHubOptions, withFleetHubOptions } from '../../fleet/hub/hub-options.js';

const IMPORT_HELP = `
Makes a FleetCluster in the API server of the hub for each cluster that another tool knows. It has the name, labels and
annotations, and refers to the Secret with the login. The login stays in that Secret, and the tool renews it there.

  argocd   cluster Secrets (label argocd.argoproj.io/secret-type: cluster), by default in namespace argocd
  capi     Clusters of Cluster API and their kubeconfig Secrets; name the namespace
  rancher  Clusters of provisioning.cattle.io and their kubeconfig Secrets, by default in namespace fleet-default
  ocm      ManagedClusters: names and labels alone, because Open Cluster Management has no logins

Your own login reads the Secrets. The command names each login that the hub could not use, and leaves it out. Poller and
applier read the Secrets, too: --role prints the Role that the owner of the namespace applies for them, and asks no cluster.
--source keeps the clusters in step: it makes a FleetClusterSource of that name, and the poller imports from then on. A cluster
that leaves the tool is reported, and stays in the fleet until you delete its FleetCluster.
${FLEET_STORE_HELP}

Examples:
  flotilla clusters import --from argocd --fleet hub --dry-run
  flotilla clusters import --from argocd --role
  flotilla clusters import --from capi -n clusters --fleet hub
  flotilla clusters import --from argocd --source argocd --fleet hub`;

/** Tools by the word of the command, with the namespace that they use if people choose none. */
const TOOLS: Readonly<Record<string, Readonly<{ tool: ImportTool; namespace?: string }>>> = {
  argocd: { tool: 'ArgoCD', namespace: 'argocd' },
  capi: { tool: 'ClusterAPI' },
  rancher: { tool: 'Rancher', namespace: 'fleet-default' },
  ocm: { tool: 'OCM' },
};

type Options = FleetHubOptions &
  Readonly<{
    from: string;
    namespace?: string;
    selector?: readonly string[];
    namePrefix?: string;
    source?: string;
    role?: boolean;
    account?: readonly string[];
    dryRun?: boolean;
  }>;

/** Registers `flotilla clusters import`. */
export const importCommand = (clusters: Command, io: Io): Command =>
  withFleetHubOptions(clusters.command('import'))
    .description('add the clusters that Argo CD, Cluster API, Rancher or Open Cluster Management know')
    .addOption(new Option('--from <tool>', 'the tool').choices(Object.keys(TOOLS)).makeOptionMandatory())
    .addOption(namespaceOption('namespace of the objects of the tool'))
    .option('-l, --selector <key=value>', 'only clusters with this label; may be given several times', gathered)
    .option('--name-prefix <text>', 'text before the name of each FleetCluster, with a - between')
    .option('--source <name>', 'keep the clusters in step, by a FleetClusterSource of this name')
    .option('--role', 'print the Role that poller and applier need, and do nothing else')
    .option('--account <account>', 'with --role: a user, or NAMESPACE/NAME of a ServiceAccount', gathered)
    .option('--dry-run', 'print the clusters that would be imported, and write nothing')
    .addHelpText('after', IMPORT_HELP)
    .action(async ({ from, selector = [], role = false, dryRun = false, ...options }: Options) => {
      const { tool, namespace: usual } = TOOLS[from] ?? { tool: 'ArgoCD' };
      const namespace = namespaceOf(tool, options.namespace ?? usual);
      const { importClusters, printRole } = await import('./import-clusters.js');
      if (role) return printRole(io, { tool, namespace, accounts: options.account ?? [] });
      if (options.account !== undefined) throw new UsageError('--account goes with --role');
      const labels = Object.fromEntries(selector.map(labelOf));
      const { namePrefix, source } = options;
      const [{ withHub }, { refuseFolder }] = await Promise.all([
        import('../../fleet/hub/open-hub.js'),
        import('../../fleet/hub/fleet-option.js'),
      ]);
      refuseFolder(options.fleet ?? (process.env['FLOTILLA_FLEET'] || undefined));
      const asked = { from, tool, namespace, labels, namePrefix, source, dryRun };
      await withHub(options, io, (hub) => importClusters(io, hub, asked));
    });

function namespaceOf(tool: ImportTool, namespace: string | undefined): string | undefined {
  if (tool === 'OCM') {
    if (namespace !== undefined) throw new UsageError('--namespace: ManagedClusters have none; leave it out');
    return undefined;
  }
  if (namespace === undefined) throw new UsageError('which namespace? Name that of the Clusters with -n');
  return namespace;
}

function labelOf(text: string): readonly [string, string] {
  const at = text.indexOf('=');
  if (at < 1) throw new UsageError(`invalid --selector "${text}": write key=value`);
  return [text.slice(0, at), text.slice(at + 1)];
}
