import type { Command } from 'commander';
import { ExitCode, type Io } from '../../terminal/io.js';

/** Runs a command line of Flotilla. */
export type RunCommand = (argv: readonly string[], io: Io) => Promise<void>;

const HELP = `
Accepts the verbs and flags of opm about file-based catalogs, so that scripts for opm run unchanged:
  alias opm="flotilla opm"
Names of the same verbs here: docs/command.md, "Coming from opm". As with opm, every failure ends with exit code 1.

Examples:
  flotilla opm render registry.example/acme/catalog:v1 > catalog/acme/index.yaml
  flotilla opm generate dockerfile catalog
  flotilla opm validate catalog
  flotilla opm alpha render-template semver template.yaml -o yaml`;

/** Registers `flotilla opm …`: the command line of opm. */
export const opmCommand = (program: Command, io: Io, run: RunCommand): Command =>
  program
    .command('opm')
    .description('run a command line of opm')
    .argument('[words...]', 'as after opm')
    .usage('VERB [FLAGS] [OPERANDS]')
    .allowUnknownOption()
    .helpOption(false)
    .addHelpText('after', HELP)
    .action(async (_words: readonly string[], _options: unknown, command: Command) => {
      const [first] = command.args;
      if (first === undefined || first === '--help' || first === '-h' || first === 'help') return command.help();
      if (first === 'version') return run(['--version'], io);
      const { translateOpm } = await import('./translate-opm.js');
      const translated = translateOpm(command.args);
      if ('error' in translated) {
        io.err(`error: ${translated.error}\n`);
        return io.exit(ExitCode.no);
      }
      const { argv, notes, plainHttp } = translated;
      for (const note of notes) io.err(`note: ${note}\n`);
      // The registry client of every verb takes its settings from the environment of the process.
      if (plainHttp) process.env['FLOTILLA_REGISTRY_PLAIN_HTTP_HOSTS'] = '*';
      // Words, widths and lines for people are none of opm's.
      const plain = { columns: undefined, isTerminal: false, colours: { out: false, err: false } };
      await run(argv, {
        ...io,
        ...plain,
        exit: (code) => io.exit(code === ExitCode.done ? ExitCode.done : ExitCode.no),
      });
    });
