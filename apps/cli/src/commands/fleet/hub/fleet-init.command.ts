import type { Command } from 'commander';
import { ANSWER_FORMATS, type AnswerFormat, outputOption } from '../../../output/output-option.js';
import { type Io, UsageError } from '../../../terminal/io.js';
import { type FleetHubOptions, withFleetHubOptions } from './hub-options.js';

const HELP = `
Prepares an API server as the hub of a fleet (k8s/overlays/fleet). Applies, server-side, the CustomResourceDefinitions of the
fleet kinds, the ClusterRoles flotilla:fleet-viewer, -author, -approver, -operator, -break-glass and -credentials, and the
ValidatingAdmissionPolicy that holds decisions to their authors. A repeated run changes only differences.
It needs Kubernetes 1.30 or newer, and the rights to write these kinds. Bind the roles to your groups afterwards.

Examples:
  flotilla fleet init --context hub --dry-run
  flotilla fleet init --context hub
  kubectl --context hub -n platform create rolebinding approvers --clusterrole=flotilla:fleet-approver --group=change-board`;

type Options = FleetHubOptions & Readonly<{ context?: string; dryRun?: boolean; output: AnswerFormat }>;

/** Registers `flotilla fleet init`: makes an API server the hub of a fleet. */
export const fleetInitCommand = (fleet: Command, io: Io): Command =>
  withFleetHubOptions(fleet.command('init'))
    .description('install the kinds, roles and checks for rollouts in a hub')
    .option('--context <name>', 'context of the hub, as --fleet')
    .option('--dry-run', 'print the changes, and do nothing')
    .addOption(outputOption('form of the answer', ANSWER_FORMATS))
    .addHelpText('after', HELP)
    .action(async ({ context, dryRun = false, output, ...options }: Options) => {
      const [{ withHub }, { initFleet }, { namedFleet }] = await Promise.all([
        import('./open-hub.js'),
        import('./init-fleet.js'),
        import('./fleet-option.js'),
      ]);
      if (namedFleet(context ?? options.fleet, process.env).startsWith('dir:')) {
        throw new UsageError('a fleet in files needs no kinds in an API server: name a context, or skip this command');
      }
      const named = context === undefined ? options : { ...options, fleet: context };
      await withHub(named, io, (hub) => initFleet(hub, io, { dryRun, output }));
    });
