import { deprecationOf, graphOf, type UpgradeGraph } from '../../catalog/graph/upgrade-graph.js';
import type { PackageRecord } from '../../catalog/model/package-record.js';
import { findInstalled } from '../../catalog/path/find-point.js';
import { newestOf, upgradePath } from '../../catalog/path/upgrade-path.js';
import type { Subscription } from '../../kernel/api/subscription.js';
import type { UpgradeOutlookOfOperator } from './assessment.js';

const UNKNOWN: UpgradeOutlookOfOperator = { newest: '', hops: [], noWay: '', deprecations: [] };

/**
 * Returns the upgrade path of a Subscription to the newest bundle of its channel. Ignores dependencies: the
 * report lists the namespaces that cannot be resolved because of those.
 */
export function operatorOutlook(
  { spec, status }: Subscription,
  record: PackageRecord | undefined,
): UpgradeOutlookOfOperator {
  if (record === undefined) return { ...UNKNOWN, noWay: `the catalog does not have package ${spec.name}` };
  const graph = graphOf(record);
  const channel = spec.channel || record.defaultChannel;
  const installed = status?.installedCSV ?? '';
  const deprecations = deprecationsOf(graph, channel, installed);
  const goal = newestOf(graph, channel);
  if (goal === undefined)
    return { ...UNKNOWN, deprecations, noWay: `channel ${channel} is not in the catalog, or has several heads` };
  const newest = goal.name;
  if (installed === '' || installed === newest) return { ...UNKNOWN, newest, deprecations };
  const start = findInstalled(graph, installed);
  if (start.kind !== 'found') {
    return { ...UNKNOWN, newest, deprecations, noWay: `the catalog has no upgrade from ${installed}` };
  }
  const { olm, why = [] } = upgradePath(graph, { start: { installed: start.installed, channel }, goal });
  if (olm === undefined) return { ...UNKNOWN, newest, deprecations, noWay: why.join(' ') };
  return { newest, hops: olm.map(({ to }) => to), noWay: '', deprecations };
}

function deprecationsOf({ record, channels }: UpgradeGraph, channel: string, installed: string): readonly string[] {
  const ofChannel = Object.hasOwn(record.channelDeprecations ?? {}, channel)
    ? record.channelDeprecations?.[channel]
    : undefined;
  const entry = channels.flatMap(({ entries }) => entries).find(({ name }) => name === installed);
  const found = [record.deprecation, ofChannel, entry === undefined ? undefined : deprecationOf(entry)];
  return [...new Set(found.filter((text): text is string => text !== undefined && text !== ''))];
}
