import type { Command } from 'commander';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import { FLEET_HELP, type FleetOptions, withFleetOptions } from '../../clusters/cluster-options.js';
import { type Io, UsageError } from '../../terminal/io.js';

type Options = FleetOptions &
  Readonly<{ namespace?: string; replan?: boolean; dryRun?: boolean; allClusters?: boolean }>;

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

A catalog image that took all memory of the thread that read it is not read again: its CatalogSource or ClusterCatalog says
so. With "catalogsource" or "clustercatalog" the hub tries it once more (annotation flotilla.dev/retry with the time).

Examples:
  flotilla retry catalogsource mills -n olm -C east
  flotilla retry clustercatalog mills -C east
  flotilla retry installplan install-6c8b7 -n team --cluster east
  flotilla retry ip install-6c8b7 -n team -C east --replan --dry-run
  flotilla retry ip install-6c8b7 -n team --all-clusters
  flotilla status          shows the plans that failed, with the command that lets them run again`;

/** Registers `flotilla retry KIND NAME…`. */
export const retryCommand = (program: Command, io: Io): Command =>
  withFleetOptions(
    program
      .command('retry')
      .argument('<kind>', 'installplan (ip), catalogsource (catsrc) or clustercatalog')
      .argument('<name...>'),
  )
    .description('retry a failed InstallPlan, or the image of a catalog')
    .option('-n, --namespace <namespace>', 'the namespace of the plan or CatalogSource')
    .option('--replan', 'recreate the plan from the present content of its catalogs')
    .option('--all-clusters', 'in every cluster that has the object')
    .option('--dry-run', 'print the changes, and do nothing')
    .addHelpText('after', HELP)
    .action((kind: string, names: readonly string[], options: Options) => retry(kind, names, options, io));

type Retried = 'InstallPlan' | 'CatalogSource' | 'ClusterCatalog';

const RETRIED: Readonly<Record<string, Retried>> = {
  ...{ installplan: 'InstallPlan', installplans: 'InstallPlan', ip: 'InstallPlan' },
  ...{ catalogsource: 'CatalogSource', catalogsources: 'CatalogSource', catsrc: 'CatalogSource' },
  ...{ clustercatalog: 'ClusterCatalog', clustercatalogs: 'ClusterCatalog' },
};

async function retry(kind: string, names: readonly string[], options: Options, io: Io): Promise<void> {
  const { replan = false, dryRun = false, allClusters = false, allowMissing = false } = options;
  if (allClusters && options.cluster !== undefined) {
    throw new UsageError('-C and --all-clusters exclude each other; choose one');
  }
  const retried = RETRIED[kind.toLowerCase()];
  if (retried === undefined) {
    throw new UsageError(
      `objects of kind "${kind}" cannot be retried; name an installplan, a catalogsource or a clustercatalog`,
    );
  }
  const namespace = namespaceFor(retried, options);
  if (retried === 'InstallPlan') {
    const { retryPlans } = await import('./retry-plan.js');
    const mode = replan ? 'replan' : 'steps';
    const how = { namespace, mode, dryRun, allClusters, allowMissing } as const;
    return inClusters(io, options, (clients) => retryPlans(clients, io, names, how));
  }
  if (replan) throw new UsageError('--replan is for InstallPlans');
  const { retryCatalogs } = await import('./retry-catalog.js');
  const how = { kind: retried, namespace, dryRun, allClusters, allowMissing };
  return inClusters(io, options, (clients) => retryCatalogs(clients, io, names, how));
}

/** Returns the namespace, '' for a ClusterCatalog. */
function namespaceFor(kind: Retried, { namespace = '' }: Options): string {
  const has = kind !== 'ClusterCatalog';
  if (has && namespace === '') throw new UsageError('name the namespace with -n');
  if (!has && namespace !== '') throw new UsageError('a ClusterCatalog has no namespace; remove -n');
  return namespace;
}

async function inClusters(
  io: Io,
  options: Options,
  work: (clients: readonly KubeClient[]) => Promise<void>,
): Promise<void> {
  const { withClusters, withOneCluster } = await import('../../clusters/open-clusters.js');
  const several = options.allClusters === true || (options.cluster ?? []).length > 1;
  if (several) return withClusters(io, options, work);
  await withOneCluster(io, options, (client) => work([client]), 'or all with --all-clusters');
}
