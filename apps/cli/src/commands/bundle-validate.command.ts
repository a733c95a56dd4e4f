import type { Command } from 'commander';
import type { Io } from '../io.js';
import { isData } from '../output/data-format.js';
import { ANSWER_FORMATS, type AnswerFormat, outputOption } from '../output/output-option.js';
import { printData } from '../output/print-data.js';
import { exitCodeOf, verdictOf } from '../output/verdict.js';

/** `flotilla bundle validate DIR`: silent and 0 when good, else one problem a line on stderr and 1. */
export const bundleValidateCommand = (bundle: Command, io: Io): Command =>
  bundle
    .command('validate')
    .description('check a bundle directory')
    .argument('<dir>', 'directory with manifests/ and metadata/')
    .addOption(outputOption('form of the answer', ANSWER_FORMATS))
    .addHelpText('after', '\nExample:\n  flotilla bundle validate ./bundles/foo/v1.0.0')
    .action(async (directory: string, { output }: Readonly<{ output: AnswerFormat }>) => {
      const problems = await problemsOf(directory);
      const verdict = verdictOf(problems.length === 0);
      if (isData(output)) {
        const data = problems.map((message) => ({ message }));
        await printData(io, { verdict, passed: verdict === 'yes', problems: data }, output);
      } else for (const problem of problems) io.err(`${directory}: ${problem}\n`);
      io.exit(exitCodeOf(verdict));
    });

async function problemsOf(directory: string): Promise<string[]> {
  const { asUsageError } = await import('../reference/load-reference.js');
  const { readTree } = await import('#platform/files/read-tree');
  const { BundleError } = await import('#core/bundle/bundle.error');
  const { readBundle } = await import('#core/bundle/read-bundle');
  const { validateBundle } = await import('#core/bundle/validate-bundle');
  const files = await asUsageError(directory, () => readTree(directory));
  try {
    return validateBundle(readBundle(files));
  } catch (error) {
    // The directory could be read; that it is no bundle is the answer to the question.
    if (error instanceof BundleError) return [error.message];
    throw error;
  }
}
