import { Command, CommanderError } from 'commander';
import { projectVersion } from '#platform/files/build-info';
import { commandFailure } from './command-failure.js';
import { approveCommand } from './commands/approve.command.js';
import { bundleCommand } from './commands/bundle.command.js';
import { catalogCommand } from './commands/catalog.command.js';
import { clustersCommand } from './commands/clusters.command.js';
import { completeCommand } from './commands/complete.command.js';
import { completionCommand } from './commands/completion.command.js';
import { crdCommand } from './commands/crd.command.js';
import { demoCommand } from './commands/demo.command.js';
import { explainCommand } from './commands/explain.command.js';
import { getCommand } from './commands/get.command.js';
import { healthCommand } from './commands/health.command.js';
import { helpCommand } from './commands/help.command.js';
import { opmCommand } from './commands/opm.command.js';
import { pathCommand } from './commands/path.command.js';
import { planCommand } from './commands/plan.command.js';
import { resolveCommand } from './commands/resolve.command.js';
import { retryCommand } from './commands/retry.command.js';
import { statusCommand } from './commands/status.command.js';
import { upCommand } from './commands/up.command.js';
import { versionCommand } from './commands/version.command.js';
import { ExitCode, type Io } from './io.js';
import { safeIo } from './output/safe-io.js';
import { wrappedHelp } from './output/wrapped-help.js';
import { addSuggestions } from './suggestions.js';

/**
 * Commands import what is heavy inside their action, so that an offline verb starts without
 * Nest or a cluster client.
 */
const commands = [
  approveCommand,
  bundleCommand,
  catalogCommand,
  clustersCommand,
  completeCommand,
  completionCommand,
  crdCommand,
  demoCommand,
  explainCommand,
  getCommand,
  healthCommand,
  helpCommand,
  pathCommand,
  planCommand,
  resolveCommand,
  retryCommand,
  statusCommand,
  upCommand,
  versionCommand,
];

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

/** Of help that goes to a pipe. */
const USUAL_WIDTH = 80;

/** The whole `flotilla` command; every verb registers itself. */
export function buildProgram(io: Io): Command {
  const program = new Command('flotilla')
    .description('Operator lifecycle management for fleets of Kubernetes clusters')
    .version(projectVersion(), '-V, --version', 'print the version')
    .option('--debug', 'print stack traces')
    .addHelpText('after', HELP)
    .showHelpAfterError('(add --help for what is possible)')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => io.out(io.columns === undefined ? text : wrappedHelp(text, io.columns)),
      writeErr: io.err,
      getOutHelpWidth: () => io.columns ?? USUAL_WIDTH,
    });
  for (const register of commands) register(program, io);
  opmCommand(program, io, run);
  addSuggestions(program);
  return program;
}

/**
 * Runs one command line. Every failure ends as one line on stderr and an exit code; a
 * stack only with --debug.
 */
export async function run(argv: readonly string[], streams: Io): Promise<void> {
  const io = safeIo(streams);
  try {
    await buildProgram(io).parseAsync([...argv], { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError) {
      io.exit(error.exitCode === 0 ? ExitCode.done : ExitCode.badInput);
      return;
    }
    const { message, exit } = commandFailure(error);
    io.err(`error: ${message}\n`);
    if (argv.includes('--debug') && error instanceof Error) io.err(`${error.stack}\n`);
    io.exit(exit);
  }
}
