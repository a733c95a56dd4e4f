import type { Command } from 'commander';
import { FLEET_HELP, type FleetOptions, gathered, withFleetOptions } from '../../../clusters/cluster-options.js';
import { HUB_HELP, hubOption } from '../../../hub/hub-address.js';
import { ANSWER_FORMATS, type AnswerFormat, outputOption } from '../../../output/output-option.js';
import type { Io } from '../../../terminal/io.js';

const HELP = `
Resolves every namespace and ClusterExtension that uses the catalog with NEW in its place, and writes nothing: what upgrades, to what
and in how many hops; what could not be resolved any more, or would lose its way, and why. Exit code 1 where something breaks.
NEW takes the place of the CatalogSources and ClusterCatalogs of --replaces, else of those whose image is of the repository of NEW.
Of each upgrade the bundle is read, from the catalog or its image, and compared with what the first cluster that has the old version
has: kinds of change as rules of approval name them, rights, CRDs and webhooks. --no-bundles leaves that out.
Of ClusterExtensions the kind of change follows from versions alone: their bundles are not read.
${HUB_HELP}
${FLEET_HELP}

Examples:
  flotilla catalog impact ./catalog --replaces olm/curated
  flotilla catalog impact registry.example/curated:v2 --context east --context west -o json`;

type Options = FleetOptions &
  Readonly<{ replaces?: readonly string[]; hub?: string; bundles: boolean; output: AnswerFormat }>;

/**
 * Registers `flotilla catalog impact NEW`: the effect of a catalog on clusters that use it, before it is
 * pushed.
 */
export const catalogImpactCommand = (catalog: Command, io: Io): Command =>
  withFleetOptions(catalog.command('impact'))
    .description('show the effect of a new catalog on every cluster that uses it')
    .argument('<new>', 'catalog directory or file, or image')
    .option(
      '--replaces <name>',
      'the replaced CatalogSource, as NAMESPACE/NAME or NAME, or ClusterCatalog, as NAME; may be given several times',
      gathered,
    )
    .option('--no-bundles', 'read no bundles: rights, CRDs and webhooks are not compared')
    .addOption(hubOption())
    .addOption(outputOption('form of the answer', ANSWER_FORMATS))
    .addHelpText('after', HELP)
    .action(async (reference: string, options: Options) => {
      const { showImpact } = await import('./show-impact.js');
      await showImpact(reference, options, io);
    });
