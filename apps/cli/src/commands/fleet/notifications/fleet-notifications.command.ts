import type { Command } from 'commander';
import { LIST_FORMATS, type ListFormat, outputOption } from '../../../output/output-option.js';
import type { Io } from '../../../terminal/io.js';
import { FLEET_STORE_HELP, type FleetHubOptions, withFleetHubOptions } from '../hub/hub-options.js';

const HELP = `
Lists the receivers of FleetNotifications with their deliveries. Exit code 1 if a delivery fails. --test asks the notifier for a test
message to each receiver of one FleetNotification, and waits up to 30 s for the answers; it needs the right to patch the object.
${FLEET_STORE_HELP}

Examples:
  flotilla fleet notifications
  flotilla fleet notifications --test on-call`;

type Options = FleetHubOptions & Readonly<{ test?: string; output: ListFormat }>;

/** Registers `flotilla fleet notifications`: the receivers of messages, and a test message. */
export const fleetNotificationsCommand = (fleet: Command, io: Io): Command =>
  withFleetHubOptions(fleet.command('notifications'))
    .description('show deliveries of notifications, or send a test message')
    .option('--test <name>', 'send a test message to the receivers of this FleetNotification')
    .addOption(outputOption('form of the list', LIST_FORMATS))
    .addHelpText('after', HELP)
    .action(async (options: Options) => {
      const { test, output } = options;
      const [{ withHub }, { showNotifications }] = await Promise.all([
        import('../hub/open-hub.js'),
        import('./show-notifications.js'),
      ]);
      await withHub(options, io, (hub) => showNotifications(hub, io, { test, output }));
    });
