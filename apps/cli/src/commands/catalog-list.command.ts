import type { Command } from 'commander';
import type { Catalog } from '#core/catalog/catalog';
import { ExitCode, type Io, UsageError } from '../io.js';
import {
  type BundleRow,
  bundleRows,
  type ChannelRow,
  channelRows,
  type PackageRow,
  packageRows,
} from './catalog-rows.js';
import { type Columns, table } from './catalog-table.js';
import { problemLine } from './catalog-validate.command.js';

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

/** `flotilla catalog packages|channels|bundles REF [PACKAGE]`. */
export function catalogListCommands(catalog: Command, io: Io): void {
  register(catalog, io, 'packages', 'the packages of a catalog', packageRows, packageColumns);
  register(catalog, io, 'channels', 'the channels of a catalog and their heads', channelRows, channelColumns);
  register(catalog, io, 'bundles', 'the bundles of every channel and what they replace', bundleRows, bundleColumns);
}

function register<Row>(
  catalog: Command,
  io: Io,
  name: string,
  description: string,
  rowsOf: (catalog: Catalog) => readonly Row[],
  columns: Columns<Row>,
): void {
  catalog
    .command(name)
    .description(description)
    .argument('<ref>', 'catalog directory or file, or image')
    .argument('[package]', 'only this package')
    .option('-o, --output <format>', 'table, json or yaml', 'table')
    .addHelpText('after', `\nExample:\n  flotilla catalog ${name} ./my-catalog`)
    .action(async (reference: string, packageName: string | undefined, { output }: { output: string }) => {
      const write = await writer(output, columns);
      const content = await validCatalog(reference, packageName, io);
      if (content === undefined) return io.exit(ExitCode.no);
      io.out(write(rowsOf(content)));
      io.exit(ExitCode.done);
    });
}

async function writer<Row>(output: string, columns: Columns<Row>): Promise<(rows: readonly Row[]) => string> {
  if (output === 'table') return (rows) => table(rows, columns);
  if (output === 'json') return (rows) => `${JSON.stringify(rows, null, 2)}\n`;
  if (output !== 'yaml') throw new UsageError(`invalid --output value "${output}", expected (table|json|yaml)`);
  const { goYaml } = await import('#core/catalog/go-yaml-text');
  return (rows) => (rows.length === 0 ? '[]\n' : goYaml(rows));
}

/** The catalog, or what of it belongs to one package; undefined, with the reasons written, when the answer is no. */
async function validCatalog(reference: string, packageName: string | undefined, io: Io): Promise<Catalog | undefined> {
  const { loadReference } = await import('../reference/load-reference.js');
  const { validateCatalog } = await import('#core/catalog/validate-catalog');
  const loaded = await loadReference(reference);
  if (loaded.kind !== 'catalog') {
    throw new UsageError(`cannot list non-index "${reference}": this is a bundle; name a catalog`);
  }
  const problems = validateCatalog(loaded.catalog);
  for (const problem of problems) io.err(problemLine(problem));
  if (problems.length > 0) return undefined;
  if (packageName === undefined) return loaded.catalog;
  const only = ofPackage(loaded.catalog, packageName);
  if (only.packages.length > 0) return only;
  io.err(`package "${packageName}" not found\n`);
  return undefined;
}

const ofPackage = (catalog: Catalog, name: string): Catalog => ({
  ...catalog,
  packages: catalog.packages.filter((blob) => blob.name === name),
  channels: catalog.channels.filter((blob) => blob.package === name),
  bundles: catalog.bundles.filter((blob) => blob.package === name),
});
