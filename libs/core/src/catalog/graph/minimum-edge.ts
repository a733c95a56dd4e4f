import { inRange, parseRange } from '../../kernel/versions/blang-range.js';
import { compareVersions, type Version } from '../../kernel/versions/version.js';
import type { CatalogChannel, ChannelEntry } from '../model/catalog.js';
import { NO_VERSION } from './bundle-versions.js';

/**
 * The oldest bundle to draw: its name, its version and the package with a channel that names it (empty: none
 * does).
 */
export type MinimumEdge = Readonly<{ name: string; version: Version; package: string }>;

/**
 * Returns the entries of a channel from the minimum edge upwards, without edges from below it. Returns
 * undefined if no entry remains. An entry with all of its edges from below is left out too, at any version
 * (spec: file-based-catalogs.md §7).
 */
export function aboveMinimumEdge(
  channel: CatalogChannel,
  minimum: MinimumEdge,
  versions: ReadonlyMap<string, Version>,
): CatalogChannel | undefined {
  if (minimum.package !== '' && channel.package !== minimum.package) return undefined;
  const isAbove = (name: string) => compareVersions(versions.get(name) ?? NO_VERSION, minimum.version) >= 0;
  const entries = (channel.entries ?? []).flatMap((entry) => {
    if (entry.name === minimum.name) return { name: entry.name };
    const kept = edgesFromAbove(entry, minimum.version, isAbove);
    return hasEdges(kept) || (!hasEdges(entry) && isAbove(entry.name)) ? kept : [];
  });
  return entries.length === 0 ? undefined : { ...channel, entries };
}

function edgesFromAbove(entry: ChannelEntry, floor: Version, isAbove: (name: string) => boolean): ChannelEntry {
  const { name, replaces = '', skips = [], skipRange = '' } = entry;
  const range = parseRange(skipRange);
  const rangeReachesFloor = !('error' in range) && inRange(floor, range);
  return {
    name,
    ...(replaces !== '' && isAbove(replaces) ? { replaces } : {}),
    skips: skips.filter(isAbove),
    ...(rangeReachesFloor ? { skipRange } : {}),
  };
}

const hasEdges = ({ replaces = '', skips = [], skipRange = '' }: ChannelEntry): boolean =>
  replaces !== '' || skips.length > 0 || skipRange !== '';
