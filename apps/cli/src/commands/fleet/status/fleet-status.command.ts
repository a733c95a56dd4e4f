import type { Command } from 'commander';
import { namespaceOption } from '../../../clusters/namespace-option.js';
import { LIST_FORMATS, type ListFormat, outputOption } from '../../../output/output-option.js';
import { type Io, UsageError } from '../../../terminal/io.js';
import { FLEET_STORE_HELP, type FleetHubOptions, withFleetHubOptions } from '../hub/hub-options.js';

const HELP = `
Without a name it lists active rollouts and the newest rollout of each subject; --all lists every rollout that is kept. With a
name it shows the waves, the reasons why clusters wait, the failures, and the plan classes that wait for approval.
A name may be shortened as long as it is unique; NAMESPACE/NAME is accepted, too.
--watch draws a live picture on a terminal until the rollouts have ended. Elsewhere it prints one line for each change, with
-o json one event a line.
${FLEET_STORE_HELP}

Examples:
  flotilla fleet status
  flotilla fleet status kafka-7
  flotilla fleet status kafka-7 --watch
  flotilla fleet status -o json | jq -r '.rollouts[] | select(.phase == "Halted") | .name'`;

/** A watch that is asked to end, ends at once. */
const ENDS_WITHIN_MS = 5_000;

type Options = FleetHubOptions & Readonly<{ namespace?: string; all?: boolean; watch?: boolean; output: ListFormat }>;

/** Registers `flotilla fleet status`: rollouts and their progress. */
export const fleetStatusCommand = (fleet: Command, io: Io): Command =>
  withFleetHubOptions(fleet.command('status').argument('[rollout]'))
    .description('show the progress of rollouts, with the reason that each waits for')
    .addOption(namespaceOption('only rollouts of this namespace (default: all)'))
    .option('--all', 'include finished rollouts')
    .option('-w, --watch', 'keep running, and show every change')
    .addOption(outputOption('form of the answer', LIST_FORMATS))
    .addHelpText('after', HELP)
    .action(async (rollout: string | undefined, options: Options) => {
      const { namespace, all = false, output, watch = false } = options;
      const asked = { rollout, namespace, all, output };
      const { withHub } = await import('../hub/open-hub.js');
      if (!watch) {
        const [{ showRollouts }, { commandSettings }] = await Promise.all([
          import('./show-rollouts.js'),
          import('../../../hub/command-settings.js'),
        ]);
        const shown = { ...asked, settings: commandSettings(process.env) };
        return withHub(options, io, (hub) => showRollouts(hub, io, shown, new Date()));
      }
      if (output !== 'table' && output !== 'wide' && output !== 'json') {
        throw new UsageError('--watch prints changes as they come: use -o json or no -o');
      }
      const [{ watchRollouts }, { hubAway }, { stopSignal }] = await Promise.all([
        import('./watch-rollouts.js'),
        import('../hub/hub-at-work.js'),
        import('../../../terminal/stop-signals.js'),
      ]);
      const stop = stopSignal(ENDS_WITHIN_MS, () => io.err('error: could not end in time\n'));
      await withHub(options, io, async (hub) => {
        io.err((await hubAway(hub, new Date()))?.text ?? '');
        await watchRollouts(hub, io, asked, stop);
      });
    });
