import type { Command } from 'commander';
import type { Io } from '../../terminal/io.js';
import { fleetDecisionCommands } from './decide/fleet-decisions.command.js';
import { fleetExplainCommand } from './explain/fleet-explain.command.js';
import { fleetExportCommand } from './export/fleet-export.command.js';
import { fleetInitCommand } from './hub/fleet-init.command.js';
import { fleetNotificationsCommand } from './notifications/fleet-notifications.command.js';
import { fleetPlanCommand } from './plan/fleet-plan.command.js';
import { fleetSimulateCommand } from './simulate/fleet-simulate.command.js';
import { fleetStatusCommand } from './status/fleet-status.command.js';
import { fleetWindowsCommand } from './status/fleet-windows.command.js';

/** Registers `flotilla fleet …`, the verbs about rollouts over a fleet of clusters. */
export function fleetCommand(program: Command, io: Io): Command {
  const fleet = program
    .command('fleet')
    .description('roll out operators and catalogs to many clusters')
    .addHelpText(
      'after',
      `\nExamples:
  flotilla fleet status
  flotilla fleet simulate -f fleet/ --clusters 100`,
    );
  fleetInitCommand(fleet, io);
  fleetExportCommand(fleet, io);
  fleetStatusCommand(fleet, io);
  fleetPlanCommand(fleet, io);
  fleetExplainCommand(fleet, io);
  fleetDecisionCommands(fleet, io);
  fleetWindowsCommand(fleet, io);
  fleetNotificationsCommand(fleet, io);
  fleetSimulateCommand(fleet, io);
  return fleet;
}
