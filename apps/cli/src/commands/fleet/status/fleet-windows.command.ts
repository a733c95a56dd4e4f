import type { Command } from 'commander';
import { LIST_FORMATS, type ListFormat, outputOption } from '../../../output/output-option.js';
import { type Io, UsageError } from '../../../terminal/io.js';
import { FLEET_STORE_HELP, type FleetHubOptions, withFleetHubOptions } from '../hub/hub-options.js';

const HELP = `
Lists FleetWindows, each with its active and its next period. Exit code 1: no change may start now (or at the time of --at) in
the cluster of -C, or without -C in any cluster. A window for some subjects only is listed, and does not count for the exit
code.
${FLEET_STORE_HELP}

Examples:
  flotilla fleet windows
  flotilla fleet windows -C store-0412
  flotilla fleet windows -C store-0412 --at 2026-12-24T18:00:00Z`;

type Options = FleetHubOptions & Readonly<{ cluster?: string; at?: string; output: ListFormat }>;

/** Registers `flotilla fleet windows`: the times at which changes may start. */
export const fleetWindowsCommand = (fleet: Command, io: Io): Command =>
  withFleetHubOptions(fleet.command('windows'))
    .description('show the open windows and the next ones')
    .option('-C, --cluster <name>', 'only windows of this cluster')
    .option('--at <time>', 'at this time, such as 2026-12-24T18:00:00Z, instead of now')
    .addOption(outputOption('form of the list', LIST_FORMATS))
    .addHelpText('after', HELP)
    .action(async (options: Options) => {
      const { cluster, at, output } = options;
      const now = at === undefined ? new Date() : new Date(at);
      if (Number.isNaN(now.getTime())) throw new UsageError(`--at: "${at}" is not a time; write 2026-12-24T18:00:00Z`);
      const [{ withHub }, { showWindows }] = await Promise.all([
        import('../hub/open-hub.js'),
        import('./show-windows.js'),
      ]);
      await withHub(options, io, (hub) => showWindows(hub, io, { cluster, output }, now));
    });
