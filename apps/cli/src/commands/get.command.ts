import type { Command } from 'commander';
import { type Io, UsageError } from '../io.js';
import { FLEET_HELP, type FleetOptions, withFleetOptions } from '../live/cluster-options.js';
import { namespaceOption } from '../live/namespace-option.js';
import type { ObjectForm } from '../live/print-objects.js';
import { LIST_FORMATS, type ListFormat, outputOption, unknownFormat } from '../output/output-option.js';

type Options = FleetOptions &
  Readonly<{
    namespace?: string;
    allNamespaces?: boolean;
    selector?: string;
    output: string;
    watch?: boolean;
    headers: boolean;
    sortBy?: string;
  }>;

/** Watches that are asked to end, end at once. */
const ENDS_WITHIN_MS = 5_000;

const JSON_PATH = 'jsonpath=';
const CUSTOM_COLUMNS = 'custom-columns=';
/** Values of `-o`, for the message about another value. */
const FORMATS = [...LIST_FORMATS, 'jsonpath=TEMPLATE', 'custom-columns=SPEC'];

const HELP = `
KIND is subscriptions (sub), installplans (ip), csvs (csv), extensions or catalogs (CatalogSources and ClusterCatalogs);
several with commas between. KIND/NAME… names objects of several kinds.
Copies of ClusterServiceVersions in other namespaces are left out.
${FLEET_HELP}
Exit code 1 if a name is not found in any cluster.
With -o json and yaml every object carries its cluster in annotation flotilla.dev/cluster.
-o jsonpath='{.items[*].metadata.name}' prints parts of that List, with {range …}{end} and {"\\n"} as in kubectl.
-o custom-columns=NAME:.metadata.name,PHASE:.status.phase prints a table of these fields.

Examples:
  flotilla get subscriptions
  flotilla get sub,csv -n team
  flotilla get csvs -n team -C east -C west -o wide --sort-by=.spec.version
  flotilla get installplans -o json | jq '.items[] | select(.spec.approved | not) | .metadata.name'
  flotilla get ip/install-6c8b7 -n team -o jsonpath='{.items[0].status.phase}'
  flotilla get catalogs --watch`;

/** `flotilla get KIND [NAME…]`: what kubectl get shows, of all clusters at once. */
export const getCommand = (program: Command, io: Io): Command =>
  withFleetOptions(program.command('get').argument('<kind>').argument('[name...]'))
    .description('list Subscriptions, InstallPlans, ClusterServiceVersions, extensions or catalogs of all clusters')
    .addOption(namespaceOption('only this namespace (default: all)'))
    .option('-A, --all-namespaces', 'all namespaces, as without -n')
    .option('-l, --selector <labels>', 'only objects with these labels, such as team=a')
    .option('-w, --watch', 'go on and show every change, until Ctrl-C')
    .option('--no-headers', 'leave the headings of tables out')
    .option('--sort-by <path>', 'sort by the value of a field, such as .metadata.creationTimestamp')
    .addOption(getOutput())
    .addHelpText('after', HELP)
    .action((kind: string, names: readonly string[], options: Options) => get([kind, ...names], options, io));

/** The formats of a list, `jsonpath=TEMPLATE` and `custom-columns=SPEC`. */
function getOutput() {
  const option = outputOption('form of the list; also jsonpath=TEMPLATE, custom-columns=SPEC', LIST_FORMATS);
  return option.argParser((value: string) => {
    const isKnown = LIST_FORMATS.some((one) => one === value);
    if (isKnown || value.startsWith(JSON_PATH) || value.startsWith(CUSTOM_COLUMNS)) return value;
    throw unknownFormat(value, FORMATS);
  });
}

async function get(words: readonly string[], options: Options, io: Io): Promise<void> {
  const { namespace, allNamespaces = false, selector, allowMissing = false } = options;
  if (allNamespaces && namespace !== undefined) throw new UsageError('-n and -A exclude each other; choose one');
  const [{ kindsOf }, { operandsOf }, { labelSelector }, { getObjects }, { withClusters }] = await Promise.all([
    import('../live/kinds.js'),
    import('../live/operands.js'),
    import('../live/label-selector.js'),
    import('../live/get-objects.js'),
    import('../live/open-clusters.js'),
  ]);
  const wanted = {
    asked: operandsOf(words).map(({ kinds, names }) => ({ kinds: kinds.flatMap(kindsOf), names })),
    namespace,
    selector: selector === undefined ? undefined : labelSelector(selector),
    form: await formOf(options),
    allowMissing,
  };
  if (options.watch !== true) return withClusters(options, (clients) => getObjects(clients, io, wanted));
  const [{ watchObjects }, { stopSignal }] = await Promise.all([
    import('../live/watch-objects.js'),
    import('../up/stop-signals.js'),
  ]);
  const stop = stopSignal(ENDS_WITHIN_MS, () => io.err('error: could not end in time\n'));
  await withClusters(options, (clients) => watchObjects(clients, io, wanted, stop));
}

async function formOf({ output, headers, sortBy }: Options): Promise<ObjectForm> {
  const { jsonPathTemplate, stepsOf } = await import('../output/json-path.js');
  if (sortBy !== undefined) stepsOf(sortBy.replace(/^\{(.*)\}$/s, '$1'), sortBy);
  if (output.startsWith(CUSTOM_COLUMNS)) {
    const { customColumns } = await import('../output/custom-columns.js');
    return { output: 'custom-columns', custom: customColumns(output.slice(CUSTOM_COLUMNS.length)), headers, sortBy };
  }
  if (!output.startsWith(JSON_PATH)) return { output: output as ListFormat, headers, sortBy };
  return { output: 'jsonpath', template: jsonPathTemplate(output.slice(JSON_PATH.length)), headers, sortBy };
}
