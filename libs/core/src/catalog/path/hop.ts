import { type EdgeKind, edgeKinds } from '../graph/upgrade-edges.js';
import { deprecationOf, type Installed, skipRangeText, versionText } from '../graph/upgrade-graph.js';
import type { Entry } from '../model/entry.js';

/** One upgrade: from the installed bundle to the next entry of `channel`. */
export type Hop = Readonly<{
  from: string;
  to: string;
  version: string;
  channel: string;
  /** The Subscription must be set to `channel` before. */
  switchesChannel: boolean;
  /** OLM's next bundle after `from` while the channel has not been changed yet. */
  insteadOf?: string;
  by: readonly EdgeKind[];
  /** The range that covers `from`, if `by` names it. */
  skipRange?: string;
  /** Message of the deprecation of `to`. */
  deprecated?: string;
}>;

/** Returns the hop from `from` to `entry`, taken while the Subscription was in `channelBefore`. */
export function hop(from: Installed, entry: Entry, channelBefore: string): Hop {
  const by = edgeKinds(entry, from);
  const deprecated = deprecationOf(entry);
  return {
    from: from.name,
    to: entry.name,
    version: versionText(entry),
    channel: entry.channel,
    switchesChannel: entry.channel !== channelBefore,
    by,
    ...(by.includes('skipRange') ? { skipRange: skipRangeText(entry) } : {}),
    ...(deprecated === undefined ? {} : { deprecated }),
  };
}
