import { askClusters, fleetVerdict, reportAway } from '../../../clusters/ask-clusters.js';
import type { FleetOptions } from '../../../clusters/cluster-options.js';
import { withClusters } from '../../../clusters/open-clusters.js';
import { commandSettings } from '../../../hub/command-settings.js';
import { isData } from '../../../output/data-format.js';
import type { AnswerFormat } from '../../../output/output-option.js';
import { printData } from '../../../output/print-data.js';
import { exitCodeOf } from '../../../output/verdict.js';
import { openLiveContents } from '../../../preview/live-contents.js';
import { ExitCode, type Io } from '../../../terminal/io.js';
import { validCatalog } from '../validate/valid-catalog.js';
import { type ClusterImpact, catalogImpact } from './catalog-impact.js';
import { extensionImpact } from './extension-impact.js';
import { ImpactContents } from './impact-content.js';
import { impactText } from './print-impact.js';
import { replacedBy } from './replaced-sources.js';

type Options = FleetOptions &
  Readonly<{ replaces?: readonly string[]; hub?: string; bundles: boolean; output: AnswerFormat }>;

/** Runs `flotilla catalog impact`: asks every cluster, and prints the changes there. */
export async function showImpact(reference: string, options: Options, io: Io): Promise<void> {
  const { replaces: named = [], hub, output, bundles } = options;
  const replacing = replacedBy(reference, named);
  const catalog = await validCatalog(reference, io, 'NEW');
  if (catalog === undefined) return io.exit(ExitCode.no);
  const settings = commandSettings(process.env);
  const upgrades = bundles ? new ImpactContents(catalog) : undefined;
  const deps = { settings, contents: await openLiveContents(settings, hub), upgrades };
  await withClusters(io, options, async (clients) => {
    const wanted = { catalog, ...replacing };
    const fleet = await askClusters(clients, async (client) =>
      together(await catalogImpact(client, wanted, deps), await extensionImpact(client, wanted, settings)),
    );
    reportAway(fleet.away, io);
    const impacts = fleet.answers.flatMap(({ value }) => value.impacts);
    const replaced = fleet.answers.flatMap(({ cluster, value }) => value.replaced.map((name) => `${cluster}/${name}`));
    for (const { cluster, value } of fleet.answers) {
      for (const one of value.unread) io.err(`note: could not read another catalog of ${cluster} from here: ${one}\n`);
    }
    if (replaced.length === 0) io.err(`${nothingReplaced(named)}\n`);
    // A name that is nowhere is a slip: a pipeline that asks about nothing must not take it for a yes.
    const isAnswered = named.length === 0 || replaced.length > 0;
    const isWell = isAnswered && !impacts.some(({ effect }) => effect === 'breaks');
    const verdict = fleetVerdict(isWell, fleet, options);
    if (isData(output)) await printData(io, { verdict, away: fleet.away, replaced, items: impacts }, output);
    else io.out(impactText(impacts, io.columns));
    io.exit(exitCodeOf(verdict));
  });
}

const together = (a: ClusterImpact, b: ClusterImpact): ClusterImpact => ({
  impacts: [...a.impacts, ...b.impacts],
  replaced: [...a.replaced, ...b.replaced],
  unread: [...a.unread, ...b.unread],
});

function nothingReplaced(named: readonly string[]): string {
  if (named.length === 0) return 'note: no CatalogSource and no ClusterCatalog is replaced; name one with --replaces';
  // A ClusterCatalog has no namespace.
  const kinds = named.every((name) => name.includes('/')) ? 'CatalogSource' : 'CatalogSource or ClusterCatalog';
  return `error: none of the clusters that answered has ${kinds} ${named.join(' or ')} or a Subscription that uses it`;
}
