import type { Command } from 'commander';
import { FLEET_HELP, withFleetOptions } from '../../clusters/cluster-options.js';
import { HUB_HELP, hubOption } from '../../hub/hub-address.js';
import { outputOption } from '../../output/output-option.js';
import type { Io } from '../../terminal/io.js';
import type { AssessOptions } from './show-assessment.js';

const FORMATS = ['table', 'json', 'yaml', 'html'] as const;

const HELP = `
Reads clusters that run OLM, and writes nothing. For each operator it reports versions, missing upgrades, deprecations,
problems, the result of the next resolution, and if it could become a ClusterExtension. For each cluster it reports the
obstacles of a handover to Flotilla, and the memory of OLM.
"-o html" prints one page that needs no network: flotilla assess -o html > report.html
${HUB_HELP}
${FLEET_HELP}
Exit codes: 0 the report is complete; 3 a cluster does not answer.

Examples:
  flotilla assess --context prod-eu --context prod-us
  flotilla assess -o json | jq '.items[].operators[] | select(.hops | length > 2)'`;

/** Registers `flotilla assess`, a report about a fleet with OLM for the decision to move. */
export const assessCommand = (program: Command, io: Io): Command =>
  withFleetOptions(program.command('assess'))
    .description('report the operators of clusters with OLM, their pending upgrades, and the obstacles of a handover')
    .addOption(hubOption())
    .addOption(outputOption('form of the answer', FORMATS))
    .addHelpText('after', HELP)
    .action(async (options: AssessOptions) => {
      const { showAssessment } = await import('./show-assessment.js');
      await showAssessment(options, io);
    });
