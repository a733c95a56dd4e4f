import type { Command } from 'commander';
import type { Io } from '../io.js';
import { fleetInitCommand } from './fleet-init.command.js';
import { fleetSimulateCommand } from './fleet-simulate.command.js';

/** `flotilla fleet …`: roll-outs over a fleet of clusters. */
export function fleetCommand(program: Command, io: Io): Command {
  const fleet = program
    .command('fleet')
    .description('roll operators and catalogs out over many clusters')
    .addHelpText('after', '\nExample:\n  flotilla fleet simulate -f fleet/ --clusters 100');
  fleetInitCommand(fleet, io);
  fleetSimulateCommand(fleet, io);
  return fleet;
}
