import type { Command } from 'commander';
import { isData } from '../../output/data-format.js';
import { ANSWER_FORMATS, type AnswerFormat, outputOption } from '../../output/output-option.js';
import { printData } from '../../output/print-data.js';
import { sayYes } from '../../output/say-yes.js';
import { exitCodeOf, verdictOf } from '../../output/verdict.js';
import type { Io } from '../../terminal/io.js';

const EXAMPLES = `
Examples:
  flotilla bundle validate ./bundles/foo/v1.0.0
  flotilla bundle validate registry.example/acme/foo-bundle:v1.0.0`;

/**
 * Registers `flotilla bundle validate REF`. A valid bundle gives no output and exit code 0; otherwise stderr
 * has one problem a line, and the code is 1.
 */
export const bundleValidateCommand = (bundle: Command, io: Io): Command =>
  bundle
    .command('validate')
    .description('check a bundle')
    .argument('<ref>', 'directory with manifests/ and metadata/, or bundle image')
    .addOption(outputOption('form of the answer', ANSWER_FORMATS))
    .addHelpText('after', EXAMPLES)
    .action(async (reference: string, { output }: Readonly<{ output: AnswerFormat }>) => {
      const problems = await problemsOf(reference);
      const verdict = verdictOf(problems.length === 0);
      if (isData(output)) {
        const data = problems.map((message) => ({ message }));
        await printData(io, { verdict, passed: verdict === 'yes', problems: data }, output);
      } else for (const problem of problems) io.err(`${reference}: ${problem}\n`);
      if (verdict === 'yes' && !isData(output)) sayYes(io, `valid: ${reference}`);
      io.exit(exitCodeOf(verdict));
    });

async function problemsOf(reference: string): Promise<string[]> {
  const { bundleFiles } = await import('../../inputs/bundle-files.js');
  const { BundleError } = await import('#core/catalog/bundle/bundle.error');
  const { readBundle } = await import('#core/catalog/bundle/read-bundle');
  const { validateBundle } = await import('#core/catalog/bundle/validate-bundle');
  const { installProblems } = await import('#core/classic/install-plan/execution/install-problems');
  const { verdictLine } = await import('#core/kernel/verdict/verdict-line');
  const { RegistryError } = await import('#platform/registry/client/registry-client.port');
  try {
    const bundle = readBundle(await bundleFiles(reference));
    return [...validateBundle(bundle), ...installProblems(bundle)];
  } catch (error) {
    // The directory or image could be read; that it is not a bundle is the answer to the question.
    if (error instanceof BundleError) return [verdictLine([], error.message)];
    if (error instanceof RegistryError && error.isOfContent) return [verdictLine([], error.message)];
    throw error;
  }
}
