import type { Command } from 'commander';
import { type Io, UsageError } from '../io.js';

const LINK_HELP = `
The key lies in FLOTILLA_CONSOLE_KEY_FILE, which the console makes with its first start. Who has the link may do everything the console can do.

Examples:
  flotilla console link
  FLOTILLA_CONSOLE_PORT=9083 flotilla console link`;

/** `flotilla console`: the web console on this machine. */
export const consoleCommand = (program: Command, io: Io): Command => {
  const console = program.command('console').description('the web console');
  console
    .command('link')
    .description('print a link that opens the console of this machine, signed in')
    .addHelpText('after', LINK_HELP)
    .action(async () => {
      const [{ commandSettings }, { consoleLink, readConsoleKey }] = await Promise.all([
        import('../command-settings.js'),
        import('#platform/http-access/console-key'),
      ]);
      const { consoleKeyFile, consolePort, consoleExternalUrl } = commandSettings(process.env);
      const key = await readConsoleKey(consoleKeyFile);
      if (key === undefined)
        throw new UsageError(`no key in ${consoleKeyFile}: "flotilla up --console" makes one with its start`);
      const origin = consoleExternalUrl === '' ? `http://127.0.0.1:${consolePort}` : new URL(consoleExternalUrl).origin;
      io.out(`${consoleLink(origin, key)}\n`);
    });
  return console;
};
