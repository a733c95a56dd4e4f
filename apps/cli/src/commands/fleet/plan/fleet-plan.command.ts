import type { Command } from 'commander';
import { gathered } from '../../../clusters/cluster-options.js';
import { namespaceOption } from '../../../clusters/namespace-option.js';
import { ANSWER_FORMATS, type AnswerFormat, outputOption } from '../../../output/output-option.js';
import { type Io, UsageError } from '../../../terminal/io.js';
import { FLEET_STORE_HELP, type FleetHubOptions, withFleetHubOptions } from '../hub/hub-options.js';

const HELP = `
With the NAME of a rollout it shows the plan classes (clusters with the same path), with the differences in images,
definitions and rights; --class shows one of them. With the NAME of a FleetOperator, or without NAME for all of them, it shows
the next changes of their clusters, by class.
It shows waves with their members, and notes about probable mistakes, such as a wave that selects no cluster.
-f checks manifests before you apply them, as the API server does. Waves are cut from the FleetClusters of the files, or of
the hub if the files have none. Exit code 1: nothing can be planned.
${FLEET_STORE_HELP}

Examples:
  flotilla fleet plan kafka-7
  flotilla fleet plan kafka-7 --class 3f9c
  flotilla fleet plan kafka
  flotilla fleet plan -f fleet/`;

type Options = FleetHubOptions &
  Readonly<{ file?: readonly string[]; class?: string; namespace?: string; output: AnswerFormat }>;

/** Registers `flotilla fleet plan`: the changes by plan class, and their waves. */
export const fleetPlanCommand = (fleet: Command, io: Io): Command =>
  withFleetHubOptions(fleet.command('plan').argument('[name]'))
    .description('show the changes of a rollout, by plan class and wave')
    .option(
      '-f, --file <path>',
      'manifests to read instead of the objects of the hub; may be given several times',
      gathered,
    )
    .option('--class <hash>', 'only this plan class; its first characters are enough')
    .addOption(namespaceOption('only rollouts and operators of this namespace (default: all)'))
    .addOption(outputOption('form of the answer', ANSWER_FORMATS))
    .addHelpText('after', HELP)
    .action(async (name: string | undefined, { file, class: hash, namespace, output, ...options }: Options) => {
      const { withHub } = await import('../hub/open-hub.js');
      if (file === undefined) {
        if (hash !== undefined && name === undefined) throw new UsageError('--class needs a rollout: name the rollout');
        const { showPlan } = await import('./show-plan.js');
        return withHub(options, io, (hub) => showPlan(hub, io, { name, namespace, class: hash, output }, new Date()));
      }
      if (name !== undefined) throw new UsageError('name either a rollout or operator, or files with -f');
      const { planFiles } = await import('./plan-files.js');
      const hasHub = options.fleet !== undefined || (process.env['FLOTILLA_FLEET'] ?? '') !== '';
      if (!hasHub) return planFiles(file, undefined, io, output);
      return withHub(options, io, (hub) => planFiles(file, hub, io, output));
    });
