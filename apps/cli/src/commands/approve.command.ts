import type { Command } from 'commander';
import { type Io, UsageError } from '../io.js';
import { CLUSTER_HELP, type ClusterOptions, withClusterOptions } from '../live/cluster-options.js';

type Options = ClusterOptions & Readonly<{ namespace: string; dryRun?: boolean }>;

const HELP = `
Approves the plan as it was read: if it changes in the same moment nothing is approved. Exit code 1, with the reason, for
a plan that does not wait for approval.
${CLUSTER_HELP}

Examples:
  flotilla approve installplan install-6c8b7 -n team --cluster east
  flotilla approve ip install-6c8b7 -n team -C east --dry-run
  flotilla status          shows what waits for approval, with the command that gives it`;

/** `flotilla approve installplan NAME…`. */
export const approveCommand = (program: Command, io: Io): Command =>
  withClusterOptions(program.command('approve').argument('<kind>', 'installplan (ip)').argument('<name...>'))
    .description('approve an InstallPlan that waits for it, and say what it installs')
    .requiredOption('-n, --namespace <namespace>', 'the namespace of the plan')
    .option('--dry-run', 'say what would be approved, and approve nothing')
    .addHelpText('after', HELP)
    .action((kind: string, names: readonly string[], options: Options) => approve(kind, names, options, io));

async function approve(kind: string, names: readonly string[], options: Options, io: Io): Promise<void> {
  if (!['installplan', 'installplans', 'ip'].includes(kind.toLowerCase())) {
    throw new UsageError(`objects of kind "${kind}" are not approved; name an installplan`);
  }
  const [{ withOneCluster }, { approvePlans }] = await Promise.all([
    import('../live/open-clusters.js'),
    import('../live/approve-plan.js'),
  ]);
  const { namespace, dryRun = false } = options;
  await withOneCluster(options, (client) => approvePlans(client, io, names, { namespace, dryRun }));
}
