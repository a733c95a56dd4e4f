import { type Command, Option } from 'commander';
import { type Io, UsageError } from '../io.js';
import { CLUSTER_HELP, type ClusterOptions, withClusterOptions } from '../live/cluster-options.js';
import type { ObjectFormat } from '../live/print-objects.js';

type Options = ClusterOptions &
  Readonly<{ namespace?: string; allNamespaces?: boolean; selector?: string; output: ObjectFormat; watch?: boolean }>;

/** Watches that are told to end, end at once. */
const ENDS_WITHIN_MS = 5_000;

const HELP = `
KIND is subscriptions (sub), installplans (ip), csvs (csv), extensions or catalogs (CatalogSources and ClusterCatalogs).
Copies of ClusterServiceVersions in other namespaces are left out.
${CLUSTER_HELP}
A cluster that does not answer is a line on standard error; exit code 3 only if none does, 1 if a name is not found.
With -o json and yaml every object carries its cluster in annotation flotilla.dev/cluster.

Examples:
  flotilla get subscriptions
  flotilla get csvs -n team -C east -C west -o wide
  flotilla get installplans -o json | jq '.items[] | select(.spec.approved | not) | .metadata.name'
  flotilla get catalogs --watch`;

/** `flotilla get KIND [NAME…]`: what kubectl get shows, of all clusters at once. */
export const getCommand = (program: Command, io: Io): Command =>
  withClusterOptions(program.command('get').argument('<kind>').argument('[name...]'))
    .description('list Subscriptions, InstallPlans, ClusterServiceVersions, extensions or catalogs of all clusters')
    .option('-n, --namespace <namespace>', 'only this namespace (default: all)')
    .option('-A, --all-namespaces', 'all namespaces, as without -n')
    .option('-l, --selector <labels>', 'only objects with these labels, such as team=a')
    .option('-w, --watch', 'go on and show every change, until Ctrl-C')
    .addOption(
      new Option('-o, --output <format>', 'form of the list')
        .choices(['table', 'wide', 'json', 'yaml', 'name'])
        .default('table'),
    )
    .addHelpText('after', HELP)
    .action((kind: string, names: readonly string[], options: Options) => get(kind, names, options, io));

async function get(word: string, names: readonly string[], options: Options, io: Io): Promise<void> {
  const { namespace, allNamespaces = false, selector, output } = options;
  if (allNamespaces && namespace !== undefined) throw new UsageError('-n and -A exclude each other; choose one');
  const [{ kindsOf }, { getObjects }, { withClusters }] = await Promise.all([
    import('../live/kinds.js'),
    import('../live/get-objects.js'),
    import('../live/open-clusters.js'),
  ]);
  const wanted = { kinds: kindsOf(word), names, namespace, selector, output };
  if (options.watch !== true) return withClusters(options, (clients) => getObjects(clients, io, wanted));
  const [{ watchObjects }, { stopSignal }] = await Promise.all([
    import('../live/watch-objects.js'),
    import('../up/stop-signals.js'),
  ]);
  const stop = stopSignal(ENDS_WITHIN_MS, () => io.err('error: could not end in time\n'));
  await withClusters(options, (clients) => watchObjects(clients, io, wanted, stop));
}
