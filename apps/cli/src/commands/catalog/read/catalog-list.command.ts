import type { Command } from 'commander';
import type { Catalog } from '#core/catalog/model/catalog';
import { didYouMean } from '#core/kernel/text/did-you-mean';
import { hubOption } from '../../../hub/hub-address.js';
import { jsonText } from '../../../output/data-format.js';
import { unknownFormat } from '../../../output/output-option.js';
import { type Columns, table } from '../../../output/table.js';
import { ExitCode, type Io, UsageError } from '../../../terminal/io.js';
import { validOutline } from '../validate/valid-catalog.js';
import type { BundleRow, ChannelRow, PackageRow } from './catalog-rows.js';

const packageColumns: Columns<PackageRow> = [
  ['NAME', ({ name }) => name],
  ['DISPLAY NAME', ({ displayName }) => displayName],
  ['DEFAULT CHANNEL', ({ defaultChannel }) => defaultChannel],
];
const channelColumns: Columns<ChannelRow> = [
  ['PACKAGE', (row) => row.package],
  ['CHANNEL', ({ channel }) => channel],
  ['HEAD', ({ head }) => head],
];
const bundleColumns: Columns<BundleRow> = [
  ['PACKAGE', (row) => row.package],
  ['CHANNEL', ({ channel }) => channel],
  ['BUNDLE', ({ bundle }) => bundle],
  ['REPLACES', ({ replaces }) => replaces],
  ['SKIPS', ({ skips }) => skips.join(',')],
  ['SKIP RANGE', ({ skipRange }) => skipRange],
  ['IMAGE', ({ image }) => image],
];

/** Registers `flotilla catalog packages|channels|bundles REF [PACKAGE]`. */
export function catalogListCommands(catalog: Command, io: Io): void {
  const packages = register(
    catalog,
    io,
    'packages',
    'the packages of a catalog',
    async (content) => (await import('./catalog-rows.js')).packageRows(content),
    packageColumns,
    ({ name }) => name,
  );
  ofClusters(packages);
  register(
    catalog,
    io,
    'channels',
    'the channels of a catalog and their heads',
    async (content) => (await import('./catalog-rows.js')).channelRows(content),
    channelColumns,
    (row) => `${row.package}/${row.channel}`,
  );
  register(
    catalog,
    io,
    'bundles',
    'the bundles of every channel, with the bundles that they replace',
    async (content) => (await import('./catalog-rows.js')).bundleRows(content),
    bundleColumns,
    ({ bundle }) => bundle,
  );
}

type ClusterForm = Readonly<{ cluster?: string; namespace?: string; hub?: string; output: string }>;

const OF_CLUSTER = `  flotilla catalog packages --cluster east -n team
  flotilla catalog packages --cluster east my-operator -o yaml

With --cluster it shows what "kubectl get packagemanifests" answers under OLM, and asks the hub for it: at --hub, else at
FLOTILLA_CONTENT_URL, else where "flotilla up" listens on this machine.`;

/** Adds `catalog packages --cluster C [-n NS] [PACKAGE]`: the packages that a cluster can install. */
function ofClusters(packages: Command): void {
  packages
    .usage('[options] <ref> [package] | --cluster <name> [options] [package]')
    .option('-C, --cluster <name>', 'the packages that this cluster of a hub offers, instead of those of <ref>')
    .option('-n, --namespace <namespace>', 'with --cluster: packages that are visible to this namespace')
    .addOption(hubOption(' (with --cluster)'))
    .addHelpText('after', OF_CLUSTER)
    .hook('preAction', (command) => {
      const { cluster, namespace, hub } = command.opts<ClusterForm>();
      if (cluster === undefined && (namespace ?? hub) !== undefined)
        throw new UsageError('-n and --hub need --cluster');
    });
}

/**
 * @throws UsageError if a catalog is given in the place of a package: no name of a package has a slash or a
 * colon
 */
async function refuseReference(name: string | undefined): Promise<void> {
  if (name === undefined) return;
  const { existsSync } = await import('node:fs');
  if (!/[/:]/.test(name) && !existsSync(name)) return;
  throw new UsageError(
    `--cluster and <ref> exclude each other, and "${name}" is a <ref>: name only the package, or remove --cluster`,
  );
}

async function showClusterPackages(
  { cluster = '', hub, ...form }: ClusterForm,
  name: string | undefined,
  io: Io,
): Promise<void> {
  const [{ showHubPackages }, { commandSettings }, { hubAddress }, { hubToken }] = await Promise.all([
    import('./hub-packages.js'),
    import('../../../hub/command-settings.js'),
    import('../../../hub/hub-address.js'),
    import('../../../hub/hub-token.js'),
  ]);
  const settings = commandSettings(process.env);
  const address = hub ?? hubAddress(settings);
  await showHubPackages(io, { ...form, cluster, name, hub: address, token: await hubToken(settings) });
}

function register<Row>(
  catalog: Command,
  io: Io,
  name: string,
  description: string,
  rows: (catalog: Catalog) => Promise<readonly Row[]>,
  columns: Columns<Row>,
  nameOf: (row: Row) => string,
): Command {
  return catalog
    .command(name)
    .description(description)
    .argument('[ref]', 'catalog directory or file, or image')
    .argument('[package]', 'only this package')
    .option('-o, --output <format>', 'table, wide, json, yaml or name', 'table')
    .addHelpText('after', `\nExample:\n  flotilla catalog ${name} ./my-catalog`)
    .action(async (reference: string | undefined, packageName: string | undefined, options: ClusterForm) => {
      const { output } = options;
      if (options.cluster !== undefined) {
        if (packageName !== undefined)
          throw new UsageError('--cluster and <ref> exclude each other: name only the package');
        await refuseReference(reference);
        return showClusterPackages(options, reference, io);
      }
      if (reference === undefined) throw new UsageError("missing required argument 'ref'");
      const write = await writer(
        output,
        columnsFor(columns, output, io),
        nameOf,
        output === 'table' ? io.columns : undefined,
      );
      const catalogs = await validOutline(reference, io);
      const content = catalogs && wanted(catalogs, packageName, io);
      if (content === undefined) return io.exit(ExitCode.no);
      io.out(write(await rows(content)));
      io.exit(ExitCode.done);
    });
}

/**
 * The long columns of opm's table. A terminal shows them with -o wide alone; in a pipe the table is opm's.
 */
const WIDE_ONLY: ReadonlySet<string> = new Set(['SKIPS', 'IMAGE']);

const columnsFor = <Row>(columns: Columns<Row>, output: string, { columns: width }: Io): Columns<Row> =>
  output === 'table' && width !== undefined ? columns.filter(([heading]) => !WIDE_ONLY.has(heading)) : columns;

async function writer<Row>(
  output: string,
  columns: Columns<Row>,
  nameOf: (row: Row) => string,
  width: number | undefined,
): Promise<(rows: readonly Row[]) => string> {
  if (output === 'table' || output === 'wide') return (rows) => table(rows, columns, width);
  if (output === 'name') return (rows) => [...new Set(rows.map(nameOf))].map((name) => `${name}\n`).join('');
  if (output === 'json') return (rows) => jsonText(rows);
  if (output !== 'yaml') throw unknownFormat(output, ['table', 'wide', 'json', 'yaml', 'name']);
  const { goYaml } = await import('#core/catalog/write/go-yaml-text');
  return (rows) => (rows.length === 0 ? '[]\n' : goYaml(rows));
}

/**
 * Returns the part to list: every package or one. Returns undefined, with the reason written, if there is no
 * such package.
 */
function wanted(catalog: Catalog, packageName: string | undefined, io: Io): Catalog | undefined {
  if (packageName === undefined) return catalog;
  const only = ofPackage(catalog, packageName);
  if (only.packages.length > 0) return only;
  const near = didYouMean(
    packageName,
    catalog.packages.map(({ name }) => name),
  );
  io.err(`package "${packageName}" not found${near}\n`);
  return undefined;
}

const ofPackage = (catalog: Catalog, name: string): Catalog => ({
  ...catalog,
  packages: catalog.packages.filter((blob) => blob.name === name),
  channels: catalog.channels.filter((blob) => blob.package === name),
  bundles: catalog.bundles.filter((blob) => blob.package === name),
});
