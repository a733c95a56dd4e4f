import type { Command } from 'commander';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import { FLEET_HELP, type FleetOptions, withFleetOptions } from '../../clusters/cluster-options.js';
import { type Io, UsageError } from '../../terminal/io.js';

type Options = FleetOptions &
  Readonly<{ namespace?: string; replan?: boolean; dryRun?: boolean; allClusters?: boolean }>;

const HELP = `
The hub checks a failed plan again by itself, at most five minutes apart, and continues once the failed step can be done.
With this verb the hub executes the plan at once; finished steps stay as they are.

--replan makes the plan again from the present content of its catalogs. The hub deletes the plan and its uninstalled
ClusterServiceVersions, and resolves the namespace again. The installed version keeps running. The hub never deletes a
ClusterServiceVersion that is installed or has a Deployment: then nothing changes, and an Event of the plan (RetryRefused)
has the reason. --replan also helps a complete plan if its ClusterServiceVersions were deleted, or are only copies from
another namespace.

Of a complete plan the hub repeats the steps whose objects are missing, or have other rights than the plan gave, such as a
deleted ServiceAccount or Role. It changes no other object.

The hub must run; the verb needs the right to patch installplans. A second request changes nothing. Exit code 1, with the
reason, if a plan has not failed, is not executed now and is not complete.
The same plan has the same name in every cluster. With several -C it is retried in each of them, with --all-clusters in each
that has it.
${FLEET_HELP}

The hub does not read a catalog image again that took all memory of its reader; the status of the CatalogSource or
ClusterCatalog says so. With "catalogsource" or "clustercatalog" the hub reads it once more (annotation flotilla.dev/retry
with the time).

Examples:
  flotilla retry catalogsource mills -n olm -C east
  flotilla retry clustercatalog mills -C east
  flotilla retry installplan install-6c8b7 -n team --cluster east
  flotilla retry ip install-6c8b7 -n team -C east --replan --dry-run
  flotilla retry ip install-6c8b7 -n team --all-clusters
  flotilla status          lists the failed plans, each with the command that retries it`;

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
