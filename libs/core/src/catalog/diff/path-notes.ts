import { byCodeUnit } from '../../kernel/canonical/canonical-json.js';
import { newestFirst, upgradeGraphs, versionText } from '../graph/upgrade-graph.js';
import type { Catalog } from '../model/catalog.js';
import type { EntryGroup } from '../model/catalog-view.js';
import { fateOf } from './bundle-fate.js';
import { olderUpdate } from './older-update.js';

/** A path that changes in a way that its users see, and that breaks nothing. */
export type PathNote = Readonly<{
  note: 'z-stream-first';
  package: string;
  channel: string;
  bundle: string;
  version: string;
  before: string;
  after: string;
}>;

/**
 * Returns the changed upgrade paths that are no break. In a `z-stream-first`, the bundle first updates to a
 * new release of its own minor version, then to the target of its former direct update. Seed 003 asks for
 * that, so it is no break. Sorted by package and channel, newest bundle first.
 */
export function pathNotes(before: Catalog, after: Catalog): PathNote[] {
  const [old, now] = [upgradeGraphs(before), upgradeGraphs(after)];
  return [...old]
    .sort(([a], [b]) => byCodeUnit(a, b))
    .flatMap(([name, graph]) => {
      const kept = new Map(now.get(name)?.channels.map((channel) => [channel.channel, channel]));
      return graph.channels
        .toSorted((a, b) => byCodeUnit(a.channel, b.channel))
        .flatMap((channel) => channelNotes(name, channel, kept.get(channel.channel)));
    });
}

const channelNotes = (name: string, old: EntryGroup, now: EntryGroup | undefined): PathNote[] =>
  now === undefined
    ? []
    : old.entries
        .toSorted(newestFirst)
        .filter((entry) => olderUpdate(entry, old, now)?.isZStream)
        .map((entry) => ({
          note: 'z-stream-first',
          package: name,
          channel: now.channel,
          bundle: entry.name,
          version: versionText(entry),
          before: fateOf(entry, old).text,
          after: fateOf(entry, now).text,
        }));
