import type { Command } from 'commander';
import type { UpgradeGraph } from '#core/catalog/graph/upgrade-graph';
import type { Point } from '#core/catalog/path/find-point';
import type { UpgradePath } from '#core/catalog/path/upgrade-path';
import { isData } from '../../../output/data-format.js';
import { ANSWER_FORMATS, type AnswerFormat, outputOption } from '../../../output/output-option.js';
import { printData } from '../../../output/print-data.js';
import { verdictOf } from '../../../output/verdict.js';
import { ExitCode, type Io, NotFound, UsageError } from '../../../terminal/io.js';
import { validCatalog } from '../validate/valid-catalog.js';
import { knownNames, unknownName } from './known-names.js';
import { pathTable } from './path-table.js';

type Options = Readonly<{
  package: string;
  from: string;
  to?: string;
  channel?: string;
  output: AnswerFormat;
}>;

const HELP = `
Shows the hops of OLM Classic with the fewest changes of the Subscription's channel. It also shows the fewest hops that the
graph allows with pinned versions, as in OLM v1. It checks no dependencies: use "flotilla plan".
Exit code 0: OLM gets there; 1: OLM does not get there, or the package, channel or version does not exist.

Examples:
  flotilla path ./my-catalog --package my-operator --from 1.0.0
  flotilla path ./my-catalog --package my-operator --from my-operator.v1.0.0 --to 2.1.0 --channel stable -o json`;

/** Registers `flotilla path REF`: the upgrade path between two versions of a package, hop by hop. */
export const pathCommand = (program: Command, io: Io): Command =>
  program
    .command('path')
    .description('show the upgrade path from one version of a package to another')
    .argument('<ref>', 'catalog directory or file, or image')
    .requiredOption('-p, --package <name>', 'package')
    .requiredOption('--from <version>', 'the installed version or bundle name')
    .option('--to <version>', 'the target version or bundle name (default: the newest of the channel)')
    .option('--channel <name>', 'channel of the Subscription (default: the default channel)')
    .addOption(outputOption('form of the answer', ANSWER_FORMATS))
    .addHelpText('after', HELP)
    .action((reference: string, options: Options) => path(reference, options, io));

async function path(reference: string, options: Options, io: Io): Promise<void> {
  const { upgradeGraphs } = await import('#core/catalog/graph/upgrade-graph');
  const catalog = await validCatalog(reference, io);
  if (catalog === undefined) return io.exit(ExitCode.no);
  const graphs = upgradeGraphs(catalog);
  const graph = graphs.get(options.package);
  if (graph === undefined) throw new NotFound(unknownName('package', options.package, [...graphs.keys()]));
  const answer = await answerOf(graph, options, io);
  await print(answer, options.output, io);
  if (!isData(options.output)) for (const line of answer.why ?? []) io.err(`${line}\n`);
  io.exit(answer.olm === undefined ? ExitCode.no : ExitCode.done);
}

async function answerOf(graph: UpgradeGraph, options: Options, io: Io): Promise<UpgradePath> {
  const [{ findBundle, findInstalled }, { newestOf, upgradePath }] = await Promise.all([
    import('#core/catalog/path/find-point'),
    import('#core/catalog/path/upgrade-path'),
  ]);
  const channel = options.channel ?? graph.record.defaultChannel;
  const channels = graph.channels.map((group) => group.channel);
  if (!channels.includes(channel)) throw new NotFound(unknownName('channel', channel, channels));
  const from = found(findInstalled(graph, options.from), '--from', options.from);
  if (from.assumed) {
    io.err(`note: the catalog has no bundle for --from ${options.from}; taken to be ${from.installed.name}\n`);
  }
  const goal =
    options.to === undefined
      ? newestOf(graph, channel)
      : found(findBundle(graph, options.to), '--to', options.to).installed;
  if (goal === undefined) throw new UsageError(`channel "${channel}" has no newest bundle; name one with --to`);
  return upgradePath(graph, { start: { installed: from.installed, channel }, goal });
}

function found(point: Point, option: string, text: string): Extract<Point, { kind: 'found' }> {
  switch (point.kind) {
    case 'found':
      return point;
    case 'ambiguous':
      throw new UsageError(`${option} ${text}: several bundles have this version; name one: ${point.names.join(', ')}`);
    case 'unknown':
      throw new NotFound(`${option} ${text}: unknown version; ${knownNames(point.known)}`);
  }
}

async function print(answer: UpgradePath, output: AnswerFormat, io: Io): Promise<void> {
  if (!isData(output)) return io.out(pathTable(answer));
  const { olm = null, shortest = null, goesOnTo = null, why = [], ...ends } = answer;
  await printData(io, { verdict: verdictOf(olm !== null), ...ends, olm, shortest, goesOnTo, why }, output);
}
