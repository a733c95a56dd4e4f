import type { Command } from 'commander';
import { approveCommand } from './commands/approve.command.js';
import { assessCommand } from './commands/assess.command.js';
import { bundleCommand } from './commands/bundle.command.js';
import { catalogCommand } from './commands/catalog.command.js';
import { clustersCommand } from './commands/clusters.command.js';
import { completeCommand } from './commands/complete.command.js';
import { completionCommand } from './commands/completion.command.js';
import { consoleCommand } from './commands/console.command.js';
import { crdCommand } from './commands/crd.command.js';
import { demoCommand } from './commands/demo.command.js';
import { doctorCommand } from './commands/doctor.command.js';
import { explainCommand } from './commands/explain.command.js';
import { fleetCommand } from './commands/fleet.command.js';
import { getCommand } from './commands/get.command.js';
import { healthCommand } from './commands/health.command.js';
import { helpCommand } from './commands/help.command.js';
import { migrateCommand } from './commands/migrate.command.js';
import { opmCommand, type RunCommand } from './commands/opm.command.js';
import { pathCommand } from './commands/path.command.js';
import { planCommand } from './commands/plan.command.js';
import { resolveCommand } from './commands/resolve.command.js';
import { retryCommand } from './commands/retry.command.js';
import { statusCommand } from './commands/status.command.js';
import { upCommand } from './commands/up.command.js';
import { versionCommand } from './commands/version.command.js';
import { emptyProgram, type RegisterVerb } from './empty-program.js';
import type { Io } from './io.js';
import { addSuggestions } from './suggestions.js';

/**
 * Commands import what is heavy inside their action, so that an offline verb starts without
 * Nest or a cluster client.
 */
const VERBS: readonly RegisterVerb[] = [
  approveCommand,
  assessCommand,
  bundleCommand,
  catalogCommand,
  clustersCommand,
  completeCommand,
  completionCommand,
  consoleCommand,
  crdCommand,
  demoCommand,
  doctorCommand,
  explainCommand,
  fleetCommand,
  getCommand,
  healthCommand,
  helpCommand,
  migrateCommand,
  pathCommand,
  planCommand,
  resolveCommand,
  retryCommand,
  statusCommand,
  upCommand,
  versionCommand,
];

/** The whole `flotilla` command; every verb registers itself. `run` runs a command line of Flotilla. */
export function buildProgram(io: Io, run: RunCommand): Command {
  const program = emptyProgram(io);
  for (const register of VERBS) register(program, io);
  opmCommand(program, io, run);
  addSuggestions(program);
  return program;
}
