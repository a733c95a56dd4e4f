import type { Command } from 'commander';
import { ExitCode, type Io } from '../io.js';

/** `flotilla bundle validate DIR`: silent and 0 when good, else one problem a line on stderr and 1. */
export const bundleValidateCommand = (bundle: Command, io: Io): Command =>
  bundle
    .command('validate')
    .description('check a bundle directory')
    .argument('<dir>', 'directory with manifests/ and metadata/')
    .addHelpText('after', '\nExample:\n  flotilla bundle validate ./bundles/foo/v1.0.0')
    .action(async (directory: string) => {
      const problems = await problemsOf(directory);
      for (const problem of problems) io.err(`${directory}: ${problem}\n`);
      io.exit(problems.length === 0 ? ExitCode.done : ExitCode.no);
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
