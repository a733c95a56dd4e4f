import type { Command } from 'commander';
import { assessCommand } from './commands/assess/assess.command.js';
import { bundleCommand } from './commands/bundle/bundle.command.js';
import { catalogCommand } from './commands/catalog/catalog.command.js';
import { pathCommand } from './commands/catalog/read/path.command.js';
import { clustersCommand } from './commands/clusters/clusters.command.js';
import { crdCommand } from './commands/crd/crd.command.js';
import { demoCommand } from './commands/demo/demo.command.js';
import { doctorCommand } from './commands/doctor/doctor.command.js';
import { explainCommand } from './commands/explain/explain.command.js';
import { fleetCommand } from './commands/fleet/fleet.command.js';
import { completeCommand } from './commands/help/complete.command.js';
import { completionCommand } from './commands/help/completion.command.js';
import { helpCommand } from './commands/help/help.command.js';
import { addSuggestions } from './commands/help/suggestions.js';
import { consoleCommand } from './commands/hub/console.command.js';
import { healthCommand } from './commands/hub/health.command.js';
import { versionCommand } from './commands/hub/version.command.js';
import { migrateCommand } from './commands/migrate/migrate.command.js';
import { approveCommand } from './commands/objects/approve.command.js';
import { getCommand } from './commands/objects/get.command.js';
import { retryCommand } from './commands/objects/retry.command.js';
import { opmCommand, type RunCommand } from './commands/opm/opm.command.js';
import { planCommand } from './commands/plan/plan.command.js';
import { resolveCommand } from './commands/resolve/resolve.command.js';
import { statusCommand } from './commands/status/status.command.js';
import { upCommand } from './commands/up/up.command.js';
import { emptyProgram, type RegisterVerb } from './empty-program.js';
import type { Io } from './terminal/io.js';

/**
 * Commands import heavy modules inside their action, so that an offline verb starts without Nest or a cluster
 * client.
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
