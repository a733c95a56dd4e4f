import { Command, Option } from 'commander';
import { projectVersion } from '#platform/files/build-info';
import { COLOUR_CHOICES } from './terminal/colours.js';
import type { Io } from './terminal/io.js';
import { wrappedHelp } from './terminal/wrapped-help.js';

/** Adds a verb to the program. */
export type RegisterVerb = (program: Command, io: Io) => unknown;

const HELP = `
Exit codes: 0 done, or yes · 1 the answer is no · 2 bad input or usage · 3 a remote side, or the disk, failed.

Examples:
  flotilla demo
  flotilla up --kubeconfig ~/.kube/config --context kind-a
  flotilla status
  flotilla get subscriptions -n team
  flotilla explain subscription harbor -n team -C kind-a
  flotilla plan --catalog community=./catalog -f subscription.yaml
  flotilla catalog validate ./catalog`;

/** The width of help that goes to a pipe. */
const USUAL_WIDTH = 80;

/** The `flotilla` command before any verb has registered itself. */
export function emptyProgram(io: Io): Command {
  return new Command('flotilla')
    .description('Operator lifecycle management for fleets of Kubernetes clusters')
    .version(projectVersion(), '-V, --version', 'print the version')
    .option('--debug', 'print stack traces')
    .addOption(new Option('--color <when>', 'colour important words').choices(COLOUR_CHOICES).default('auto'))
    .addHelpText('after', HELP)
    .showHelpAfterError('(see the options with --help)')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => io.out(wrappedHelp(text, io.columns ?? USUAL_WIDTH)),
      writeErr: io.err,
      getOutHelpWidth: () => io.columns ?? USUAL_WIDTH,
    });
}
