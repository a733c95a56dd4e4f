import { Argument, type Command } from 'commander';
import { ExitCode, type Io } from '../../terminal/io.js';
import { completionScript, SHELLS, type Shell } from './completion-scripts.js';

const HELP = `
Examples:
  source <(flotilla completion bash)
  flotilla completion zsh > "\${fpath[1]}/_flotilla"
  flotilla completion fish > ~/.config/fish/completions/flotilla.fish`;

/** Registers `flotilla completion SHELL`: a shell script that completes verbs, options and their values. */
export const completionCommand = (program: Command, io: Io): Command =>
  program
    .command('completion')
    .description('print a script that completes verbs and options in a shell')
    .addArgument(new Argument('<shell>').choices(SHELLS))
    .addHelpText('after', HELP)
    .action((shell: Shell) => {
      io.out(completionScript(shell));
      io.exit(ExitCode.done);
    });
