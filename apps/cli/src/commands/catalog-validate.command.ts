import type { Command } from 'commander';
import type { CatalogProblem } from '#core/catalog/catalog-problem';
import { ExitCode, type Io, UsageError } from '../io.js';

const EXAMPLES = `
Examples:
  flotilla catalog validate ./my-catalog
  flotilla catalog validate ./my-catalog -o json`;

type Options = Readonly<{ output?: string }>;

/** `flotilla catalog validate DIR`: silent and 0 when valid, else one problem a line on stderr and 1. */
export const catalogValidateCommand = (catalog: Command, io: Io): Command =>
  catalog
    .command('validate')
    .description('check a catalog directory by the rules of opm')
    .argument('<dir>', 'root of a file-based catalog')
    .option('-o, --output <format>', 'json: the verdict and every problem as data, on stdout')
    .addHelpText('after', EXAMPLES)
    .action(async (directory: string, { output }: Options) => {
      if (output !== undefined && output !== 'json') {
        throw new UsageError(`invalid --output value "${output}", expected (json)`);
      }
      const problems = await problemsOf(directory, output === 'json' ? io : undefined);
      if (output === 'json') io.out(await verdict(problems));
      else for (const problem of problems) io.err(problemLine(problem));
      io.exit(problems.length === 0 ? ExitCode.done : ExitCode.no);
    });

/** opm's own words first, so that they can be searched for; what to do comes behind. */
export const problemLine = ({ message, advice }: CatalogProblem): string =>
  `${message.replaceAll('\n', '; ')} (${advice})\n`;

/** With `json`, what makes the catalog unreadable is printed there as data too, before it ends the command. */
async function problemsOf(directory: string, json: Io | undefined): Promise<CatalogProblem[]> {
  const { asUsageError } = await import('../reference/load-reference.js');
  const { openCatalogTree } = await import('#platform/files/catalog-tree');
  const { readBlobs } = await import('#core/catalog/read-blobs');
  const { decodeCatalogBlob } = await import('#core/catalog/decode-blob');
  const { CatalogValidator } = await import('#core/catalog/validate-catalog');
  const validate = async () => {
    const validator = new CatalogValidator();
    try {
      for (const blob of readBlobs(await openCatalogTree(directory))) validator.take(decodeCatalogBlob(blob));
      return validator.problems();
    } catch (error) {
      if (error instanceof Error && 'olmText' in error) {
        json?.out(`${JSON.stringify({ passed: false, error: { message: error.olmText } }, null, 2)}\n`);
      }
      throw error;
    }
  };
  return asUsageError(directory, validate);
}

async function verdict(problems: readonly CatalogProblem[]): Promise<string> {
  const { opmText } = await import('#core/catalog/catalog-problem');
  const message = opmText(problems);
  const listed = problems.map(({ message: text, advice }) => ({ message: text, advice }));
  const answer = message === undefined ? { passed: true } : { passed: false, error: { message }, problems: listed };
  return `${JSON.stringify(answer, null, 2)}\n`;
}
