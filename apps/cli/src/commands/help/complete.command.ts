import { Argument, type Command } from 'commander';
import { ExitCode, type Io } from '../../terminal/io.js';
import { type Completion, complete } from './complete.js';
import { completedVerbs } from './completion-words.js';

/**
 * Directives of cobra's protocol, which kubectl speaks with `kubectl_complete-flotilla`: the shell's work in
 * addition to the candidates.
 */
const DIRECTIVE: Readonly<Record<Completion['kind'], number>> = {
  words: 4,
  clusters: 4,
  nothing: 4,
  files: 0,
  directories: 16,
};

/**
 * Registers `flotilla __complete WORD…`. It prints one candidate a line, a tab before its description, and a
 * directive in the last line. The scripts of the shells and kubectl call it; it is not in the help.
 */
export const completeCommand = (program: Command, io: Io): Command =>
  program
    .command('__complete', { hidden: true })
    .addArgument(new Argument('[word...]'))
    .allowUnknownOption()
    .helpOption(false)
    .action(async (words: readonly string[]) => {
      const found = complete(completedVerbs(program), words);
      const clusters = found.kind === 'clusters' ? await clusterNames(words) : [];
      const named = clusters.filter((name) => name.startsWith(found.typed));
      const all = [...found.candidates, ...named.map((text) => ({ text, description: '' }))];
      for (const { text, description } of all) {
        io.out(`${found.before}${text}${description === '' ? '' : `\t${description}`}\n`);
      }
      io.out(`:${DIRECTIVE[found.kind]}\n`);
      io.exit(ExitCode.done);
    });

/**
 * Returns the names of clusters from kubeconfigs, without asking any. Returns none if they cannot be read.
 */
async function clusterNames(words: readonly string[]): Promise<readonly string[]> {
  const { knownClusterNames } = await import('../../clusters/known-cluster-names.js');
  const named = words.flatMap((word, index) => (words[index - 1] === '--kubeconfig' ? [word] : []));
  return knownClusterNames(named).catch(() => []);
}
