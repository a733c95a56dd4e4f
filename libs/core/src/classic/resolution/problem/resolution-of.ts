import type { CatalogEntry, Entry } from '../../../catalog/model/entry.js';
import { byCodeUnit } from '../../../kernel/canonical/canonical-json.js';
import type { ChosenBundle, DesiredNamespace, DesiredSubscription, Resolution } from './resolution-problem.js';

/** The CSVs that count as installed, and those that an entry replaces. */
type Upgrades = Readonly<{
  isInstalled: (csv: string) => boolean;
  upgradeFrom: (entry: Entry) => string | undefined;
}>;

/**
 * The answer from the entries of a solution; installed CSVs that stay are not part of it
 * (spec: classic-resolution.md §7, §11).
 */
export function resolutionOf(
  solution: readonly Entry[],
  desiredNamespace: DesiredNamespace,
  upgrades: Upgrades,
): Resolution {
  const chosen = solution
    .flatMap((entry) =>
      entry.from.kind === 'catalog' ? [chosenBundle(entry, entry.from, desiredNamespace, upgrades)] : [],
    )
    .sort((a, b) => byCodeUnit(a.name, b.name) || byCodeUnit(a.channel, b.channel));
  const created: { name: string; spec: Record<string, string> }[] = [];
  const updated = new Map<string, string>();
  for (const bundle of chosen) {
    const matching = desiredNamespace.subscriptions.filter((desired) => isFor(desired, bundle));
    if (matching.length === 0) created.push(newSubscription(bundle));
    for (const { name, currentCSV } of matching) {
      if (currentCSV !== bundle.name) updated.set(name, bundle.name);
    }
  }
  return {
    result: 'resolved',
    chosen,
    subscriptionsCreated: created.sort((a, b) => byCodeUnit(a.name, b.name)),
    subscriptionsUpdated: [...updated]
      .map(([name, currentCSV]) => ({ name, currentCSV }))
      .sort((a, b) => byCodeUnit(a.name, b.name)),
  };
}

function chosenBundle(
  entry: Entry,
  { catalog, record }: CatalogEntry,
  { subscriptions, csvs }: DesiredNamespace,
  upgrades: Upgrades,
): ChosenBundle {
  const { name, package: packageName, channel } = entry;
  const bundle = { name, package: packageName, channel, catalog: catalog.name, catalogNamespace: catalog.namespace };
  const isStart = subscriptions.some(
    ({ startingCSV, installedCSV }) => startingCSV === name && !upgrades.isInstalled(installedCSV),
  );
  const asking = subscriptions.filter((desired) => isFor(desired, bundle));
  const isThere = csvs.some((csv) => csv.name === name);
  const isUpToDate = asking.length > 0 && isThere && asking.every(({ currentCSV }) => currentCSV === name);
  return {
    ...bundle,
    version: record.version,
    replaces: upgrades.upgradeFrom(entry) ?? record.replaces,
    ...(isStart ? { startingCSV: name } : {}),
    ...(isUpToDate ? { upToDate: true } : {}),
    source: record.source,
    properties: record.properties,
  };
}

type BundleName = Pick<ChosenBundle, 'name' | 'package' | 'channel' | 'catalog' | 'catalogNamespace'>;

/** True if the Subscription asks for this bundle's package, channel and catalog. */
export const isFor = (desired: DesiredSubscription, bundle: BundleName): boolean =>
  desired.package === bundle.package &&
  (desired.channel === '' || desired.channel === bundle.channel) &&
  desired.source === bundle.catalog &&
  desired.sourceNamespace === bundle.catalogNamespace;

/** Subscription made for a dependency; its approval is Automatic always (spec: classic-resolution.md §11). */
function newSubscription({ name, package: packageName, channel, catalog, catalogNamespace }: ChosenBundle) {
  return {
    name: `${packageName}-${channel}-${catalog}-${catalogNamespace}`,
    spec: {
      name: packageName,
      channel,
      source: catalog,
      sourceNamespace: catalogNamespace,
      startingCSV: name,
      installPlanApproval: 'Automatic',
    },
  };
}
