import type { Command } from 'commander';
import { namespaceOption } from '../../../clusters/namespace-option.js';
import { ANSWER_FORMATS, type AnswerFormat, outputOption } from '../../../output/output-option.js';
import type { Io } from '../../../terminal/io.js';
import { FLEET_STORE_HELP, type FleetHubOptions, withFleetHubOptions } from '../hub/hub-options.js';

const HELP = `
NAME is a cluster, a rollout, a FleetOperator or a Staged FleetCatalog; the last two stand for their active rollout.
Prints the one reason, its cause, and the commands that help. Exit code 1: it waits or has failed.
${FLEET_STORE_HELP}

Examples:
  flotilla fleet explain kafka-7
  flotilla fleet explain kafka-7 -C store-0412
  flotilla fleet explain store-0412 -o json`;

type Options = FleetHubOptions & Readonly<{ cluster?: string; namespace?: string; output: AnswerFormat }>;

/** Registers `flotilla fleet explain`: the reason for the state of an object of the fleet. */
export const fleetExplainCommand = (fleet: Command, io: Io): Command =>
  withFleetHubOptions(fleet.command('explain').argument('<name>'))
    .description('explain why a cluster, an operator or a rollout waits or has failed')
    .option('-C, --cluster <name>', 'explain only this cluster')
    .addOption(namespaceOption('the namespace of the rollout or operator'))
    .addOption(outputOption('form of the answer', ANSWER_FORMATS))
    .addHelpText('after', HELP)
    .action(async (what: string, options: Options) => {
      const [{ withHub }, { explainFleet }] = await Promise.all([
        import('../hub/open-hub.js'),
        import('./explain-fleet.js'),
      ]);
      const { cluster, namespace, output } = options;
      await withHub(options, io, (hub) => explainFleet(hub, io, { what, cluster, namespace, output }, new Date()));
    });
