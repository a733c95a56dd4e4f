import { edgeKinds, olmStep } from '../catalog-graph/upgrade-edges.js';
import type { Installed, UpgradeGraph } from '../catalog-graph/upgrade-graph.js';
import type { Entry } from '../resolution/entry.js';
import { cheapestWay, type Move } from './cheapest-way.js';
import { type Hop, hop } from './hop.js';

/** What is installed, and the channel the Subscription is set to. */
export type Standing = Readonly<{ installed: Installed; channel: string }>;

const key = ({ installed, channel }: Standing): string => `${channel}\u0000${installed.name}`;

const moveTo = (entry: Entry, { installed, channel }: Standing, cost: Move<Standing, Hop>['cost']) => ({
  to: { installed: entry, channel: entry.channel },
  step: hop(installed, entry, channel),
  cost,
});

/**
 * The way OLM Classic goes to `goal`: in each channel the hop its resolver picks, and of all ways the one with the fewest
 * changes of the Subscription's channel, then the fewest hops. Undefined where OLM never gets there.
 */
export function olmWay(graph: UpgradeGraph, start: Standing, goal: string): Hop[] | undefined {
  const moves = (at: Standing) =>
    graph.channels.flatMap((channel) => {
      const step = olmStep(channel, at.installed);
      if (typeof step === 'string' || 'unordered' in step) return [];
      return moveTo(step.entry, at, [Number(channel.channel !== at.channel), 1]);
    });
  return cheapestWay(start, { key, moves, isGoal: ({ installed }) => installed.name === goal });
}

/**
 * The fewest hops the edges allow, each to any entry that replaces or skips what is installed or whose skipRange holds it;
 * then the fewest changes of channel. A pinned version of OLM v1 can take any of them (spec: v1-resolution.md).
 */
export function shortestWay(graph: UpgradeGraph, start: Standing, goal: string): Hop[] | undefined {
  const entries = graph.channels.flatMap((channel) => channel.entries);
  const moves = (at: Standing) =>
    entries
      .filter((entry) => entry.name !== at.installed.name && edgeKinds(entry, at.installed).length > 0)
      .map((entry) => moveTo(entry, at, [1, Number(entry.channel !== at.channel)]));
  return cheapestWay(start, { key, moves, isGoal: ({ installed }) => installed.name === goal });
}
