import type { Command } from 'commander';
import { FLEET_HELP, withFleetOptions } from '../../clusters/cluster-options.js';
import { HUB_HELP, hubOption } from '../../hub/hub-address.js';
import { outputOption } from '../../output/output-option.js';
import type { Io } from '../../terminal/io.js';
import type { AssessOptions } from './show-assessment.js';

const FORMATS = ['table', 'json', 'yaml', 'html'] as const;

const HELP = `
Reads clusters that run OLM and writes nothing: operators and their versions, how many upgrades each is behind, deprecations,
what is not well, what a resolution would meet, what stands in the way of a hand-over to Flotilla, which operators of OLM Classic
could become ClusterExtensions, and the memory that OLM takes.
"-o html" prints one page without anything from elsewhere: flotilla assess -o html > report.html
${HUB_HELP}
${FLEET_HELP}
Exit code 0, whatever is found; 3 where a cluster does not answer.

Examples:
  flotilla assess --context prod-eu --context prod-us
  flotilla assess -o json | jq '.items[].operators[] | select(.hops | length > 2)'`;

/** Registers `flotilla assess`, a report about a fleet with OLM for the decision to move. */
export const assessCommand = (program: Command, io: Io): Command =>
  withFleetOptions(program.command('assess'))
    .description('report the operators of clusters with OLM, their pending upgrades, and the obstacles of a hand-over')
    .addOption(hubOption())
    .addOption(outputOption('form of the answer', FORMATS))
    .addHelpText('after', HELP)
    .action(async (options: AssessOptions) => {
      const { showAssessment } = await import('./show-assessment.js');
      await showAssessment(options, io);
    });
