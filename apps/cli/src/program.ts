import { type Command, CommanderError } from 'commander';
import { commandFailure } from './command-failure.js';
import { helpCommand } from './commands/help/help.command.js';
import { requireVerbs } from './commands/help/program-words.js';
import { addSuggestions } from './commands/help/suggestions.js';
import { emptyProgram, type RegisterVerb } from './empty-program.js';
import { colouredStreams } from './terminal/colours.js';
import { ExitCode, type Io } from './terminal/io.js';
import { withProgress } from './terminal/progress-line.js';
import { safeIo } from './terminal/safe-io.js';

/** Verbs that scripts call again and again: each is loaded without the others, in half of the time. */
const ALONE: Readonly<Record<string, () => Promise<RegisterVerb>>> = {
  bundle: async () => (await import('./commands/bundle/bundle.command.js')).bundleCommand,
  catalog: async () => (await import('./commands/catalog/catalog.command.js')).catalogCommand,
  opm: async () => {
    const { opmCommand } = await import('./commands/opm/opm.command.js');
    return (program, io) => opmCommand(program, io, run);
  },
  plan: async () => (await import('./commands/plan/plan.command.js')).planCommand,
  version: async () => (await import('./commands/hub/version.command.js')).versionCommand,
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

/** Verbs that show their own progress, or run until Ctrl-C. */
const WITHOUT_PROGRESS: ReadonlySet<string> = new Set(['__complete', 'completion', 'demo', 'opm', 'up']);
const ENDLESS = new Set(['-w', '--watch', 'serve']);

/** Returns the progress text of a command line; undefined if it shows none. */
function progressOf(argv: readonly string[]): string | undefined {
  const words = argv.slice(0, 2).filter((word) => /^[a-z-]*$/.test(word) && !word.startsWith('-'));
  const [verb] = words;
  const isSilent = verb === undefined || WITHOUT_PROGRESS.has(verb) || argv.some((word) => ENDLESS.has(word));
  return isSilent ? undefined : ['flotilla', ...words].join(' ');
}

/**
 * Runs one command line. Every failure ends as one line on stderr and an exit code; a
 * stack only with --debug.
 */
export async function run(argv: readonly string[], streams: Io): Promise<void> {
  let io = safeIo(streams);
  let end = () => {};
  try {
    const colours = colouredStreams(argv, streams.colours ?? { out: false, err: false });
    ({ io, end } = withProgress(safeIo(streams, colours), progressOf(argv)));
    const program = await programFor(argv, io);
    requireVerbs(program, argv);
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
