import type { Command } from 'commander';
import type { GraphView } from '#core/catalog/graph/graph-view';
import type { Catalog } from '#core/catalog/model/catalog';
import { jsonText } from '../../../output/data-format.js';
import { outputOption } from '../../../output/output-option.js';
import { ExitCode, type Io, NotFound, UsageError } from '../../../terminal/io.js';
import { loadedCatalog } from '../validate/valid-catalog.js';
import { knownNames, unknownName } from './known-names.js';

type Options = Readonly<{
  package?: string;
  output: 'mermaid' | 'svg' | 'json';
  installed?: string;
  minimumEdge?: string;
  drawV0Semantics?: boolean;
}>;

const HELP = `
mermaid is the text of "opm alpha render-graph", with its options. svg and json show one package. With --installed they also
show the entries that can be reached from there, and OLM's upgrade path. An invalid catalog can be drawn, too.

Examples:
  flotilla catalog graph ./my-catalog --package my-operator -o svg --installed 1.0.0 > graph.svg
  flotilla catalog graph ./my-catalog --package my-operator --draw-v0-semantics`;

/**
 * Registers `flotilla catalog graph REF`: the upgrade graph as text for Mermaid, as a picture, or as data.
 */
export const catalogGraphCommand = (catalog: Command, io: Io): Command =>
  catalog
    .command('graph')
    .description('draw the upgrade graph of a package')
    .argument('<ref>', 'catalog directory or file, or image')
    .option('-p, --package <name>', 'only this package')
    .addOption(outputOption('form of the graph', ['mermaid', 'svg', 'json']))
    .option('--installed <version>', 'svg, json: the installed version or bundle name')
    .option('--minimum-edge <bundle>', 'mermaid: the oldest bundle to draw')
    .option('--draw-v0-semantics', 'mermaid: mark skipped bundles and edges that OLM Classic never takes')
    .addHelpText('after', HELP)
    .action((reference: string, options: Options) => graph(reference, options, io));

async function graph(reference: string, options: Options, io: Io): Promise<void> {
  requireFitting(options);
  const catalog = await loadedCatalog(reference);
  if (options.output === 'mermaid') return mermaid(catalog, options, io);
  const view = await viewOf(catalog, options);
  if (options.output === 'json') io.out(jsonText(view));
  else io.out(await picture(view));
  io.exit(ExitCode.done);
}

/** A picture of more edges is unreadable, and takes long to draw. */
const MAX_DRAWN_EDGES = 20_000;

async function picture(view: GraphView): Promise<string> {
  const edges = view.channels.reduce((sum, channel) => sum + channel.edges.length, 0);
  if (edges > MAX_DRAWN_EDGES) {
    const counted = `package "${view.package}" has ${edges} edges; a picture can have at most ${MAX_DRAWN_EDGES}`;
    throw new UsageError(`${counted}; use -o json, or flotilla path for one version`);
  }
  const { svgGraph } = await import('#core/catalog/graph/svg/svg-graph');
  return svgGraph(view);
}

function requireFitting({ output, installed, minimumEdge, drawV0Semantics }: Options): void {
  if (output === 'mermaid' && installed !== undefined) {
    throw new UsageError('--installed is for -o svg and -o json: the text for Mermaid is that of opm');
  }
  if (output !== 'mermaid' && (minimumEdge !== undefined || drawV0Semantics !== undefined)) {
    throw new UsageError('--minimum-edge and --draw-v0-semantics are for -o mermaid');
  }
}

/** Prints the text of opm. For opm an unknown package is an empty graph; here it is an error too. */
async function mermaid(catalog: Catalog, options: Options, io: Io): Promise<void> {
  const { mermaidGraph } = await import('#core/catalog/graph/mermaid-graph');
  const { package: name, minimumEdge, drawV0Semantics } = options;
  const drawn = mermaidGraph(catalog, {
    ...(name === undefined ? {} : { package: name }),
    ...(minimumEdge === undefined ? {} : { minimumEdge }),
    v0Semantics: drawV0Semantics ?? false,
  });
  if ('error' in drawn) {
    io.err(`${drawn.error}\n`);
    return io.exit(ExitCode.no);
  }
  const isUnknown = name !== undefined && !catalog.channels.some((channel) => channel.package === name);
  if (isUnknown) io.err(`error: ${unknownPackage(catalog, name)}\n`);
  for (const warning of drawn.warnings) io.err(`${warning}\n`);
  io.out(drawn.text);
  io.exit(isUnknown ? ExitCode.no : ExitCode.done);
}

async function viewOf(catalog: Catalog, options: Options): Promise<GraphView> {
  const { graphView } = await import('#core/catalog/graph/graph-view');
  const { upgradeGraph } = await import('#core/catalog/graph/upgrade-graph');
  const name = options.package ?? onlyPackage(catalog);
  const found = upgradeGraph(catalog, name);
  if (found === undefined) throw new NotFound(unknownPackage(catalog, name));
  if (options.installed === undefined) return graphView(found);
  const { findInstalled } = await import('#core/catalog/path/find-point');
  const point = findInstalled(found, options.installed);
  if (point.kind === 'found') return graphView(found, point.installed);
  const choices =
    point.kind === 'unknown' ? `unknown version; ${knownNames(point.known)}` : `name one of ${point.names.join(', ')}`;
  const Refusal = point.kind === 'unknown' ? NotFound : UsageError;
  throw new Refusal(`--installed ${options.installed}: ${choices}`);
}

function onlyPackage({ packages }: Catalog): string {
  const [first, ...others] = packages;
  if (first !== undefined && others.length === 0) return first.name;
  throw new UsageError(`name a package with --package; ${knownNames(packages.map(({ name }) => name).sort())}`);
}

const unknownPackage = ({ packages }: Catalog, name: string): string =>
  unknownName('package', name, packages.map((one) => one.name).sort());
