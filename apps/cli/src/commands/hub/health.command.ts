import type { Command } from 'commander';
import { HUB_HELP, hubsOption } from '../../hub/hub-address.js';
import type { HubCheck, HubHealth } from '../../hub/hub-health.js';
import { isData } from '../../output/data-format.js';
import { ANSWER_FORMATS, type AnswerFormat, outputOption } from '../../output/output-option.js';
import { type Columns, table } from '../../output/table.js';
import type { Verdict } from '../../output/verdict.js';
import { ExitCode, type Io } from '../../terminal/io.js';

type Options = Readonly<{ hub?: readonly string[]; output: AnswerFormat }>;
type Reached = Extract<HubHealth, { reached: true }>;

const HELP = `${HUB_HELP}
Shows the answer of /readyz of every service that answers. Exit code 0: ready; 1: not ready, with the reason; 3: no service
answers, or one named with --hub does not.

Examples:
  flotilla health
  flotilla health --hub http://127.0.0.1:9000 -o json | jq '.items[].checks[] | select(.status != "up")'`;

/** Registers `flotilla health`: the state of the hub, and its unhealthy parts. */
export const healthCommand = (program: Command, io: Io): Command =>
  program
    .command('health')
    .description('show the health of the hub, check by check')
    .addOption(hubsOption())
    .addOption(outputOption('form of the answer', ANSWER_FORMATS))
    .addHelpText('after', HELP)
    .action(async ({ hub: named = [], output }: Options) => {
      const [{ commandSettings }, { hubAddresses }, { hubHealth }, { noAnswer }, { exitCodeOf }, { hubToken }] =
        await Promise.all([
          import('../../hub/command-settings.js'),
          import('../../hub/hub-address.js'),
          import('../../hub/hub-health.js'),
          import('../../hub/ask-hub.js'),
          import('../../output/verdict.js'),
          import('../../hub/hub-token.js'),
        ]);
      const settings = commandSettings(process.env);
      const asked = named.length > 0 ? named : hubAddresses(settings);
      const token = await hubToken(settings);
      const services = await Promise.all(asked.map((url) => hubHealth(url, token)));
      const reached = services.filter((one) => one.reached);
      const away = services.filter((one) => !one.reached);
      if (named.length > 0 || reached.length === 0) {
        for (const { url, because } of away) io.err(`error: ${noAnswer(url, because)}\n`);
      }
      if (reached.length === 0) return io.exit(ExitCode.remoteFailed);
      const verdict = verdictOf(reached, named.length > 0 && away.length > 0);
      if (isData(output)) {
        const { printData } = await import('../../output/print-data.js');
        await printData(
          io,
          { verdict, items: reached.map(({ reached: _always, withheld: _text, ...rest }) => rest) },
          output,
        );
      } else io.out(reached.map(serviceText).join('\n'));
      io.exit(exitCodeOf(verdict));
    });

/** A service that is not ready counts before one that does not answer: it is known not to be well. */
function verdictOf(services: readonly Reached[], isOneAway: boolean): Verdict {
  if (services.some(({ ready }) => !ready)) return 'no';
  return isOneAway ? 'incomplete' : 'yes';
}

const CHECKS: Columns<HubCheck> = [
  ['CHECK', ({ name }) => name],
  ['STATUS', ({ status }) => status],
  ['DETAIL', ({ detail }) => detail],
];

const serviceText = ({ url, ready, checks }: Reached): string =>
  `HUB ${url} ${ready ? 'ready' : 'NOT READY'}\n\n${table(checks, CHECKS)}`;
