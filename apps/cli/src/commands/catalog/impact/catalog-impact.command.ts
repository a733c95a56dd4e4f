import type { Command } from 'commander';
import { FLEET_HELP, type FleetOptions, gathered, withFleetOptions } from '../../../clusters/cluster-options.js';
import { HUB_HELP, hubOption } from '../../../hub/hub-address.js';
import { ANSWER_FORMATS, type AnswerFormat, outputOption } from '../../../output/output-option.js';
import type { Io } from '../../../terminal/io.js';

const HELP = `
Resolves every namespace and ClusterExtension that uses the catalog, with NEW in its place, and writes nothing. It lists the
upgrades with their targets and hops, and everything that could not be resolved any more or would lose its upgrade path, with
the reason. Exit code 1: something breaks.
NEW replaces the CatalogSources and ClusterCatalogs of --replaces, otherwise those with an image of NEW's repository.
For each upgrade the command reads the new bundle from the catalog or its image. It compares it with the objects of the first
cluster that has the old version: kinds of change (as in approval rules), rights, CRDs and webhooks. --no-bundles skips that.
For ClusterExtensions the kind of change follows from versions alone: the command does not read their bundles.
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
