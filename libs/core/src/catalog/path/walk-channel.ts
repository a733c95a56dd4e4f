import { olmStep } from '../graph/upgrade-edges.js';
import type { Installed } from '../graph/upgrade-graph.js';
import type { EntryGroup } from '../model/catalog-view.js';
import { type Hop, hop } from './hop.js';

/** OLM Classic's path on its own: the hops, and the reason for its end. */
export type ChannelWalk = Readonly<{
  hops: readonly Hop[];
  end: Installed;
  /**
   * `rests`: nothing follows; `circles`: it has been at `end` before; `unordered`: OLM's resolver
   * gives up on the channel.
   */
  outcome: 'rests' | 'circles' | 'unordered';
}>;

/** Follows OLM Classic hop by hop while the Subscription stays unchanged. */
export function walkChannel(channel: EntryGroup, start: Installed): ChannelWalk {
  const hops: Hop[] = [];
  const visited = new Set([start.name]);
  let at = start;
  for (;;) {
    const step = olmStep(channel, at);
    if (step === 'stays') return { hops, end: at, outcome: 'rests' };
    if ('unordered' in step) return { hops, end: at, outcome: 'unordered' };
    hops.push(hop(at, step.entry, channel.channel));
    at = step.entry;
    if (visited.has(at.name)) return { hops, end: at, outcome: 'circles' };
    visited.add(at.name);
  }
}
