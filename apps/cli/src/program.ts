import { type Command, CommanderError } from 'commander';
import { commandFailure } from './command-failure.js';
import { helpCommand } from './commands/help.command.js';
import { emptyProgram, type RegisterVerb } from './empty-program.js';
import { ExitCode, type Io } from './io.js';
import { withProgress } from './output/progress-line.js';
import { safeIo } from './output/safe-io.js';
import { addSuggestions } from './suggestions.js';

/** Verbs that scripts call again and again: each is loaded without the others, in half of the time. */
const ALONE: Readonly<Record<string, () => Promise<RegisterVerb>>> = {
  catalog: async () => (await import('./commands/catalog.command.js')).catalogCommand,
  opm: async () => {
    const { opmCommand } = await import('./commands/opm.command.js');
    return (program, io) => opmCommand(program, io, run);
  },
  version: async () => (await import('./commands/version.command.js')).versionCommand,
};

/** The program as far as a command line can lead. */
async function programFor([verb = '']: readonly string[], io: Io): Promise<Command> {
  if (!Object.hasOwn(ALONE, verb)) {
    const { buildProgram } = await import('./all-verbs.js');
    return buildProgram(io, run);
  }
  const program = emptyProgram(io);
  (await ALONE[verb]?.())?.(program, io);
  helpCommand(program, io);
  addSuggestions(program);
  return program;
}

/**
 * Runs one command line. Every failure ends as one line on stderr and an exit code; a
 * stack only with --debug.
 */
export async function run(argv: readonly string[], streams: Io): Promise<void> {
  const { io, end } = withProgress(safeIo(streams), undefined);
  try {
    const program = await programFor(argv, io);
    await program.parseAsync([...argv], { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError) {
      io.exit(error.exitCode === 0 ? ExitCode.done : ExitCode.badInput);
      return;
    }
    const { message, exit } = commandFailure(error);
    io.err(`error: ${message}\n`);
    if (argv.includes('--debug') && error instanceof Error) io.err(`${error.stack}\n`);
    io.exit(exit);
  } finally {
    end();
  }
}
