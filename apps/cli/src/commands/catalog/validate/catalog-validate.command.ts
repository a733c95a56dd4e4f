import type { Command } from 'commander';
import type { CatalogProblem } from '#core/catalog/validate/catalog-problem';
import { counted } from '#core/kernel/text/counted';
import { placeWithin } from '../../../inputs/place-within.js';
import { jsonText } from '../../../output/data-format.js';
import { unknownFormat } from '../../../output/output-option.js';
import { sayYes } from '../../../output/say-yes.js';
import { verdictOf } from '../../../output/verdict.js';
import { ExitCode, type Io } from '../../../terminal/io.js';
import type { Examination, ExaminationOptions } from './catalog-validate-examine.js';
import { imageLine } from './catalog-validate-images.js';

const HELP = `
Exit code 0: valid, with notes only, and on a terminal one line that says so; 1: not valid, one problem a line; 3: a registry
did not answer (--check-images).
--strict also refuses content that opm accepts and OLM cannot use: version ranges and APIs that nothing can match, constraints
that no bundle can meet, fields that opm drops, unknown types. It also refuses breaches of the published schema: empty texts,
properties without type or value, icons without the media type of an image.
A dependency that the catalog does not provide is a note and no failure: another catalog may have it.

Examples:
  flotilla catalog validate ./my-catalog
  flotilla catalog validate ./my-catalog --strict --check-images
  flotilla catalog validate registry.example/acme/catalog:v1
  flotilla catalog validate ./my-catalog -o json`;

type Options = ExaminationOptions & Readonly<{ output?: string }>;

/**
 * Registers `flotilla catalog validate REF`. A valid catalog gives no output and exit code 0; otherwise
 * stderr has one problem a line, and the code is 1.
 */
export const catalogValidateCommand = (catalog: Command, io: Io): Command =>
  catalog
    .command('validate')
    .description('check a catalog by the rules of opm, or by stricter ones')
    .argument('<ref>', 'catalog directory or file, or image')
    .option('--strict', 'also fail on content that opm accepts and OLM cannot use')
    .option('--check-images', 'check in the registries, with the logins of this machine, that every image exists')
    .option('-o, --output <format>', 'json or yaml: the verdict and every problem as data, on stdout')
    .addHelpText('after', HELP)
    .action(async (reference: string, { output, ...options }: Options) => {
      if (output !== undefined && output !== 'json' && output !== 'yaml') {
        throw unknownFormat(output, ['json', 'yaml']);
      }
      const { examine } = await import('./catalog-validate-examine.js');
      const print = output === undefined ? undefined : await printer(output, io);
      const found = await examine(reference, options, (message, place) =>
        print?.({ verdict: 'no', passed: false, error: { message, ...(place !== undefined && { place }) } }),
      );
      if (print) print(await verdict(found, options));
      else {
        printExamination(reference, found, io);
        if (exitCode(found) === ExitCode.done) sayYes(io, validText(found));
      }
      io.exit(exitCode(found));
    });

/**
 * Returns one line: the place of the blob in the catalog `reference`, as far as it is known; opm's own words;
 * what to do. If a command reads several catalogs, `side` names this one.
 */
export function problemLine(reference: string, { message, advice, place }: CatalogProblem, side?: string): string {
  const where = place === undefined ? reference : placeWithin(reference, place);
  const prefix = side === undefined ? (place === undefined ? '' : `${where}: `) : `${side} ${where}: `;
  return `${prefix}${message.replaceAll('\n', '; ')} (${advice})\n`;
}

const validText = ({ packages, bundles }: Examination): string =>
  `valid: ${counted(packages, 'package')}, ${counted(bundles, 'bundle')}`;

/** Returns the exit code. A known error outweighs a check that could not be completed. */
function exitCode({ problems, warnings, images }: Examination): ExitCode {
  const failing = warnings.some(({ severity }) => severity === 'warning');
  if (problems.length > 0 || failing || images.some(({ kind }) => kind === 'missing')) return ExitCode.no;
  return images.length > 0 ? ExitCode.remoteFailed : ExitCode.done;
}

function printExamination(reference: string, { problems, warnings, images }: Examination, io: Io): void {
  for (const problem of problems) io.err(problemLine(reference, problem));
  for (const { severity, place, schema, package: owner, name, message, advice } of warnings) {
    const where = place === '' ? '' : `${placeWithin(reference, place)}: `;
    const what = [owner && `package "${owner}"`, name && `${schema.replace(/^olm\./, '')} "${name}"`].filter(Boolean);
    const blob = what.length === 0 ? schema : what.join(' ');
    io.err(`${severity === 'note' ? 'note: ' : ''}${where}${blob}: ${message.replaceAll('\n', ' ')} (${advice})\n`);
  }
  for (const failure of images) io.err(imageLine(failure));
}

async function printer(output: 'json' | 'yaml', io: Io): Promise<(answer: unknown) => void> {
  if (output === 'json') return (answer) => io.out(jsonText(answer));
  const { goYaml } = await import('#core/catalog/write/go-yaml-text');
  return (answer) => io.out(goYaml(answer));
}

/**
 * Returns the verdict as opm prints it, with the problems one by one, and the requested additional checks.
 */
async function verdict(found: Examination, { strict, checkImages }: ExaminationOptions): Promise<unknown> {
  const { opmText } = await import('#core/catalog/validate/catalog-problem');
  const message = opmText(found.problems);
  const problems = found.problems.map(({ message: text, advice, place }) => ({
    message: text,
    advice,
    ...(place !== undefined && { place }),
  }));
  const passed = exitCode(found) === ExitCode.done;
  return {
    verdict: exitCode(found) === ExitCode.remoteFailed ? 'incomplete' : verdictOf(passed),
    passed,
    ...(message !== undefined && { error: { message }, problems }),
    ...(strict && { warnings: found.warnings }),
    ...(checkImages && { images: found.images }),
  };
}
