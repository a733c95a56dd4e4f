import type { Command } from 'commander';
import { CLUSTER_HELP, withClusterOptions } from '../../clusters/cluster-options.js';
import { ANSWER_FORMATS, outputOption } from '../../output/output-option.js';
import type { Io } from '../../terminal/io.js';
import type { DoctorOptions } from './examine.js';

const HELP = `
Checks the needs of a hub on this machine, and says what to do: Node, memory, open files, the folder for content, Redis with
its clock, each cluster with the rights of this login, and the registries of the catalogs in the clusters. It reads settings
from FLOTILLA_… as a hub does. It writes only a file that it removes again, and a key in Redis that expires.
${CLUSTER_HELP}
Exit code 0: a hub would work; 1: it would not.

Examples:
  flotilla doctor
  flotilla doctor --kubeconfig ~/.kube/config --context kind-a -o json`;

/** Registers `flotilla doctor`: checks if a hub would work on this machine, with these clusters. */
export const doctorCommand = (program: Command, io: Io): Command =>
  withClusterOptions(program.command('doctor'))
    .description('check machine, Redis, clusters, rights and registries, with advice')
    .addOption(outputOption('form of the answer', ANSWER_FORMATS))
    .addHelpText('after', HELP)
    .action(async (options: DoctorOptions) => {
      const { examine } = await import('./examine.js');
      await examine(options, io);
    });
