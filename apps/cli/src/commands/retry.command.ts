import type { Command } from 'commander';
import { type Io, UsageError } from '../io.js';
import { FLEET_HELP, type FleetOptions, withFleetOptions } from '../live/cluster-options.js';

type Options = FleetOptions &
  Readonly<{ namespace: string; replan?: boolean; dryRun?: boolean; allClusters?: boolean }>;

const HELP = `
A failed plan is checked again by itself, at most five minutes apart, and goes on once the step that stopped it can be
done. This verb has it executed at once; the steps that are done stay done.

With --replan the plan is made anew from what its catalogs hold now: its ClusterServiceVersions, which are not installed,
are deleted together with the plan, and the namespace is resolved again. The version that was installed before keeps
running. A ClusterServiceVersion that is installed or has a Deployment is never deleted: then nothing happens, and an
Event of the plan (reason RetryRefused) says why. It also helps a plan that is complete and whose ClusterServiceVersions
are not in the namespace: they were deleted, or there are only copies of another namespace's.

Of a plan that is complete, the steps are executed again whose objects are gone, or give other rights than the plan gave:
a ServiceAccount or a Role that was deleted, say. What is there stays as it is.

The hub does it, and needs to run; the verb needs the right to patch installplans. Asking again changes nothing. Exit code
1, with the reason, for a plan that has not failed, unless it is being executed or is complete.
The same plan has the same name in every cluster. With several -C it is retried in each of them; with --all-clusters in each
that has it.
${FLEET_HELP}

Examples:
  flotilla retry installplan install-6c8b7 -n team --cluster east
  flotilla retry ip install-6c8b7 -n team -C east --replan --dry-run
  flotilla retry ip install-6c8b7 -n team --all-clusters
  flotilla status          shows the plans that failed, with the command that lets them run again`;

/** `flotilla retry installplan NAME…`. */
export const retryCommand = (program: Command, io: Io): Command =>
  withFleetOptions(program.command('retry').argument('<kind>', 'installplan (ip)').argument('<name...>'))
    .description('let an InstallPlan that failed run again, or make it anew')
    .requiredOption('-n, --namespace <namespace>', 'the namespace of the plan')
    .option('--replan', 'make the plan anew from what its catalogs hold now')
    .option('--all-clusters', 'in every cluster that has the plan')
    .option('--dry-run', 'say what would be done, and do nothing')
    .addHelpText('after', HELP)
    .action((kind: string, names: readonly string[], options: Options) => retry(kind, names, options, io));

async function retry(kind: string, names: readonly string[], options: Options, io: Io): Promise<void> {
  if (!['installplan', 'installplans', 'ip'].includes(kind.toLowerCase())) {
    throw new UsageError(`objects of kind "${kind}" are not retried; name an installplan`);
  }
  const [{ withClusters, withOneCluster }, { retryPlans }] = await Promise.all([
    import('../live/open-clusters.js'),
    import('../live/retry-plan.js'),
  ]);
  const { namespace, replan = false, dryRun = false, allClusters = false, allowMissing = false } = options;
  if (allClusters && options.cluster !== undefined) {
    throw new UsageError('-C and --all-clusters exclude each other; choose one');
  }
  const mode = replan ? 'replan' : 'steps';
  const how = { namespace, mode, dryRun, allClusters, allowMissing } as const;
  if (allClusters || (options.cluster ?? []).length > 1) {
    return withClusters(options, (clients) => retryPlans(clients, io, names, how));
  }
  await withOneCluster(options, (client) => retryPlans([client], io, names, how), 'or all with --all-clusters');
}
