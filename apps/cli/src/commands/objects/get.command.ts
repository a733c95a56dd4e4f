import type { Command } from 'commander';
import { FLEET_HELP, type FleetOptions, gathered, withFleetOptions } from '../../clusters/cluster-options.js';
import { namespaceOption } from '../../clusters/namespace-option.js';
import { LIST_FORMATS, type ListFormat, outputOption, unknownFormat } from '../../output/output-option.js';
import { type Io, UsageError } from '../../terminal/io.js';
import type { GetOptions } from './get-objects.js';
import type { LabelColumns } from './label-columns.js';
import type { Operand } from './operands.js';
import type { ObjectForm } from './print-objects.js';

type Options = FleetOptions &
  Readonly<{
    namespace?: string;
    allNamespaces?: boolean;
    selector?: string;
    fieldSelector?: string;
    labelColumns?: readonly string[];
    showLabels?: boolean;
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
separate several with commas. KIND/NAME… names objects of several kinds, as do the lines of -o name.
The list has no copies of ClusterServiceVersions in other namespaces.

--field-selector accepts the fields of API servers: metadata.name and metadata.namespace, with = and !=.
${FLEET_HELP}
Exit code 1 if a name is not found in any cluster.

With -o json and yaml every object carries its cluster in annotation flotilla.dev/cluster.

-o jsonpath='{.items[*].metadata.name}' prints parts of that List, with {range …}{end}, {"\\n"} and filters such as
[?(@.status.phase=="Failed")], as in kubectl.

-o custom-columns=NAME:.metadata.name,PHASE:.status.phase prints a table of these fields.

Examples:
  flotilla get subscriptions
  flotilla get sub,csv -n team -L team --show-labels
  flotilla get csvs -n team -C east -C west -o wide --sort-by=.spec.version
  flotilla get installplans -o json | jq '.items[] | select(.spec.approved | not) | .metadata.name'
  flotilla get ip/install-6c8b7 -n team -o jsonpath='{.items[0].status.phase}'
  flotilla get csvs -o jsonpath='{range .items[?(@.status.phase!="Succeeded")]}{.metadata.name}{"\\n"}{end}'
  flotilla get sub -o name | xargs flotilla get -o yaml
  flotilla get catalogs --watch`;

/** Registers `flotilla get KIND [NAME…]`: the lists of kubectl get, for all clusters at once. */
export const getCommand = (program: Command, io: Io): Command =>
  withFleetOptions(program.command('get').argument('<kind>').argument('[name...]'))
    .description('list Subscriptions, InstallPlans, ClusterServiceVersions, extensions or catalogs of all clusters')
    .addOption(namespaceOption('only this namespace (default: all)'))
    .option('-A, --all-namespaces', 'all namespaces, as without -n')
    .option('-l, --selector <labels>', 'only objects with these labels, such as team=a')
    .option('--field-selector <fields>', 'only objects with these fields, such as metadata.name=harbor')
    .option('-L, --label-columns <labels>', 'a column for each of these labels; may be given several times', gathered)
    .option('--show-labels', 'a column with all labels')
    .option('-w, --watch', 'keep running and show every change, until Ctrl-C')
    .option('--no-headers', 'omit the headings of tables')
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
    if (/^(go-)?template(-?file)?(=|$)/.test(value)) throw new UsageError(NO_GO_TEMPLATE);
    throw unknownFormat(value, FORMATS);
  });
}

const NO_GO_TEMPLATE =
  'templates of Go are not supported: use -o jsonpath=\'{range .items[*]}{.metadata.name}{"\\n"}{end}\' or ' +
  '-o custom-columns=NAME:.metadata.name';

async function get(words: readonly string[], options: Options, io: Io): Promise<void> {
  const { allNamespaces = false } = options;
  if (allNamespaces && options.namespace !== undefined) {
    throw new UsageError('-n and -A exclude each other; choose one');
  }
  const [{ operandsOf, placeWith }, { withClusters }] = await Promise.all([
    import('./operands.js'),
    import('../../clusters/open-clusters.js'),
  ]);
  const operands = operandsOf(words);
  const wanted = await wantedOf(operands, options);
  const place = placeWith(options, operands);
  if (options.watch !== true) {
    const { getObjects } = await import('./get-objects.js');
    return withClusters(io, place, (clients) => getObjects(clients, io, wanted));
  }
  const [{ watchObjects }, { stopSignal }] = await Promise.all([
    import('./watch-objects.js'),
    import('../../terminal/stop-signals.js'),
  ]);
  const stop = stopSignal(ENDS_WITHIN_MS, () => io.err('error: could not end in time\n'));
  await withClusters(io, place, (clients) => watchObjects(clients, io, wanted, stop));
}

async function wantedOf(operands: readonly Operand[], options: Options): Promise<GetOptions> {
  const [{ kindsOf }, { labelSelector }, { fieldSelector }] = await Promise.all([
    import('./live-kinds.js'),
    import('./label-selector.js'),
    import('./field-selector.js'),
  ]);
  const { namespace, selector, fieldSelector: fields, allowMissing = false, kubeconfig = [], context = [] } = options;
  const asked = operands.map(({ kinds, ...one }) => ({ ...one, kinds: kinds.flatMap(kindsOf) }));
  return {
    asked,
    kubeconfig,
    context,
    namespace,
    selector: selector === undefined ? undefined : labelSelector(selector),
    fields:
      fields === undefined
        ? undefined
        : fieldSelector(
            fields,
            asked.flatMap(({ kinds }) => kinds),
          ),
    form: await formOf(options),
    allowMissing,
  };
}

async function formOf(options: Options): Promise<ObjectForm> {
  const { output, headers, sortBy } = options;
  const { stepsOf } = await import('../../output/json-path-steps.js');
  if (sortBy !== undefined) stepsOf(sortBy.replace(/^\{(.*)\}$/s, '$1'), sortBy);
  const form = { headers, sortBy, labels: await labelsOf(options) };
  if (output.startsWith(CUSTOM_COLUMNS)) {
    const { customColumns } = await import('../../output/custom-columns.js');
    return { ...form, output: 'custom-columns', custom: customColumns(output.slice(CUSTOM_COLUMNS.length)) };
  }
  if (!output.startsWith(JSON_PATH)) return { ...form, output: output as ListFormat };
  const { jsonPathTemplate } = await import('../../output/json-path.js');
  return { ...form, output: 'jsonpath', template: jsonPathTemplate(output.slice(JSON_PATH.length)) };
}

async function labelsOf({ output, labelColumns, showLabels = false }: Options): Promise<LabelColumns | undefined> {
  if (labelColumns === undefined && !showLabels) return undefined;
  const option = labelColumns === undefined ? '--show-labels' : '-L';
  if (output !== 'table' && output !== 'wide') {
    throw new UsageError(`${option} adds a column to tables, and -o ${output} prints no table; remove one of the two`);
  }
  const { labelKeys } = await import('./label-columns.js');
  return { named: labelKeys(labelColumns ?? []), all: showLabels };
}
