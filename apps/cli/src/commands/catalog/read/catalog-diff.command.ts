import { type Command, InvalidArgumentError } from 'commander';
import { INVARIANTS, type Invariant } from '#core/catalog/diff/broken-invariant';
import { didYouMean } from '#core/kernel/text/did-you-mean';
import { isData } from '../../../output/data-format.js';
import { ANSWER_FORMATS, type AnswerFormat, outputOption } from '../../../output/output-option.js';
import { printData } from '../../../output/print-data.js';
import { exitCodeOf, verdictOf } from '../../../output/verdict.js';
import { ExitCode, type Io } from '../../../terminal/io.js';
import { validCatalog } from '../validate/valid-catalog.js';
import { diffTable } from './catalog-diff-table.js';

type Options = Readonly<{ output: AnswerFormat; allow?: readonly Invariant[] }>;

const HELP = `
Invariants, per channel, for every bundle that may be installed in a cluster:
  lost-way      something follows it, unless it is the newest
  several-next  only one entry replaces or skips it by name
  elsewhere     the way from it ends at the newest, and its next update is not older than before
  z-stream      it updates to the newest release of its minor version at once, if all of that version did

Exit code 0: all of them hold as before; 1: one breaks, or a catalog is not valid.
Notes (z-stream-first) name bundles that update to a new patch release of their minor version first. They do not fail.

Examples:
  flotilla catalog diff registry.example/catalog:v1 ./my-catalog
  flotilla catalog diff ./old ./new -o json --allow several-next`;

/** Registers `flotilla catalog diff OLD NEW`: the changes, and the upgrade paths that break. */
export const catalogDiffCommand = (catalog: Command, io: Io): Command =>
  catalog
    .command('diff')
    .description('show the changes between two catalogs, and the upgrade paths that break')
    .argument('<old>', 'catalog directory or file, or image')
    .argument('<new>', 'catalog directory or file, or image')
    .addOption(outputOption('form of the answer', ANSWER_FORMATS))
    .option('--allow <invariant>', 'report a breach of this rule without failing; may be given several times', allowed)
    .addHelpText('after', HELP)
    .action(async (old: string, now: string, { output, allow = [] }: Options) => {
      const before = await validCatalog(old, io, 'OLD');
      const after = await validCatalog(now, io, 'NEW');
      if (before === undefined || after === undefined) return io.exit(ExitCode.no);
      const { catalogDiff } = await import('#core/catalog/diff/catalog-diff');
      const diff = catalogDiff(before, after);
      const verdict = verdictOf(diff.broken.every(({ invariant }) => allow.includes(invariant)));
      if (isData(output)) await printData(io, { verdict, ...diff }, output);
      else io.out(diffTable(diff));
      io.exit(exitCodeOf(verdict));
    });

/** One invariant, or several with commas between. */
function allowed(value: string, before: readonly Invariant[] = []): readonly Invariant[] {
  const named = value.split(',').map((name) => {
    const known = INVARIANTS.find((invariant) => invariant === name);
    if (known !== undefined) return known;
    throw new InvalidArgumentError(`Allowed choices are ${INVARIANTS.join(', ')}.${didYouMean(name, INVARIANTS)}`);
  });
  return [...before, ...named];
}
