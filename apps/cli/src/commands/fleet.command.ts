import type { Command } from 'commander';
import type { Io } from '../io.js';
import { fleetDecisionCommands } from './fleet-decisions.command.js';
import { fleetExplainCommand } from './fleet-explain.command.js';
import { fleetExportCommand } from './fleet-export.command.js';
import { fleetInitCommand } from './fleet-init.command.js';
import { fleetPlanCommand } from './fleet-plan.command.js';
import { fleetSimulateCommand } from './fleet-simulate.command.js';
import { fleetStatusCommand } from './fleet-status.command.js';
import { fleetWindowsCommand } from './fleet-windows.command.js';

/** `flotilla fleet …`: roll-outs over a fleet of clusters. */
export function fleetCommand(program: Command, io: Io): Command {
  const fleet = program
    .command('fleet')
    .description('roll operators and catalogs out over many clusters')
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
  fleetSimulateCommand(fleet, io);
  return fleet;
}
