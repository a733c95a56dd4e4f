import { headOf } from '../graph/upgrade-edges.js';
import type { Installed } from '../graph/upgrade-graph.js';
import type { EntryGroup } from '../model/catalog-view.js';
import type { Entry } from '../model/entry.js';
import { walkChannel } from '../path/walk-channel.js';

/** The end of an installed bundle's upgrades in a channel when OLM Classic is left alone. */
export type BundleFate = Readonly<{
  /**
   * OLM reaches the newest bundle of the channel; stays; stops on the way; goes in a circle; or finds
   * no order in the channel.
   */
  outcome: 'newest' | 'stays' | 'stops' | 'circles' | 'unordered';
  end: Installed;
  text: string;
}>;

/** Follows OLM's upgrades from `installed`, which need not be an entry of the channel itself. */
export function fateOf(installed: Entry, channel: EntryGroup): BundleFate {
  const { hops, end, outcome: walked } = walkChannel(channel, installed);
  const head = headOf(channel);
  const way = [installed.name, ...hops.map(({ to }) => to)];
  const outcome =
    walked !== 'rests' ? walked : end.name === head?.name ? 'newest' : hops.length === 0 ? 'stays' : 'stops';
  return { outcome, end, text: TEXTS[outcome](shortened(way)) };
}

const TEXTS: Readonly<Record<BundleFate['outcome'], (way: string) => string>> = {
  newest: (way) => (way.includes(' -> ') ? way : 'it was the newest'),
  stays: () => 'nothing follows it',
  stops: (way) => `${way}, and nothing follows that`,
  circles: (way) => `${way}, round in circles`,
  unordered: () => 'the channel has no single chain of replacements',
};

/** Returns the first two steps and the last. */
function shortened(way: readonly string[]): string {
  return way.length <= 4 ? way.join(' -> ') : [...way.slice(0, 2), '…', way.at(-1)].join(' -> ');
}

/** Entries OLM may take that replace or skip the bundle by name, head first. */
export function followedBy(name: string, channel: EntryGroup): readonly Entry[] {
  const ordered = channel.ordered();
  const candidates = 'error' in ordered ? channel.entries : ordered.entries;
  return candidates.filter((entry) => entry.name !== name && (entry.replaces === name || entry.skips.includes(name)));
}
