import type { CatalogChannel, ChannelEntry } from '../../catalog/model/catalog.js';
import { textAt, textsAt } from '../../kernel/json/json-access.js';
import type { ListedCsv } from './configmap-bundles.js';
import { ConfigMapCatalogError } from './configmap-catalog.error.js';
import type { ConfigMapPackage } from './configmap-lists.js';

/**
 * Builds a channel as configmap-server does: from currentCSV along `spec.replaces` to the end. CSVs that a
 * CSV of this chain skips are also in the channel if the ConfigMap has them. Throws {@link
 * ConfigMapCatalogError} for a missing CSV and for a cycle.
 */
export function configMapChannel(
  packageName: string,
  { name, currentCSV }: ConfigMapPackage['channels'][number],
  csvs: ReadonlyMap<string, ListedCsv>,
): CatalogChannel {
  const chain = new Map<string, ChannelEntry>();
  const skipped = new Set<string>();
  for (let at = currentCSV; at !== ''; ) {
    const listed = csvs.get(at);
    if (listed === undefined) throw missing(packageName, name, currentCSV, at);
    const entry = entryOf(at, listed);
    chain.set(at, entry);
    for (const skip of entry.skips ?? []) skipped.add(skip);
    const next = entry.replaces ?? '';
    if (chain.has(next)) throw new ConfigMapCatalogError(`Cycle detected, ${at} replaces ${next}`);
    at = next;
  }
  const aside = [...skipped].flatMap((skip) => {
    const listed = chain.has(skip) ? undefined : csvs.get(skip);
    return listed === undefined ? [] : [entryOf(skip, listed)];
  });
  return { schema: 'olm.channel', name, package: packageName, entries: [...chain.values(), ...aside] };
}

/**
 * Returns the entry of a CSV, even of one that is otherwise lost: the upgrade path between bundles stays the
 * same.
 */
function entryOf(name: string, { csv }: ListedCsv): ChannelEntry {
  const replaces = textAt(csv, 'spec', 'replaces');
  const skips = textsAt(csv, 'spec', 'skips');
  const skipRange = textAt(csv, 'metadata', 'annotations', 'olm.skipRange');
  return {
    name,
    ...(replaces === '' ? {} : { replaces }),
    ...(skips.length === 0 ? {} : { skips }),
    ...(skipRange === '' ? {} : { skipRange }),
  };
}

function missing(packageName: string, channel: string, head: string, csv: string): ConfigMapCatalogError {
  const where = `package "${packageName}", channel "${channel}"`;
  return new ConfigMapCatalogError(
    csv === head
      ? `${where}: currentCSV ${head} is not among clusterServiceVersions`
      : `${where}: Invalid bundle ${head}, replaces nonexistent bundle ${csv}`,
  );
}
