import { edgeKinds, olmStep } from '../graph/upgrade-edges.js';
import type { Installed, UpgradeGraph } from '../graph/upgrade-graph.js';
import type { EntryGroup } from '../model/catalog-view.js';
import type { Entry } from '../model/entry.js';
import { cheapestWay, type Move } from './cheapest-way.js';
import { type Hop, hop } from './hop.js';

/** The installed bundle, and the channel of the Subscription. */
export type StartPoint = Readonly<{ installed: Installed; channel: string }>;

const key = ({ installed, channel }: StartPoint): string => `${channel}\u0000${installed.name}`;

const moveTo = (entry: Entry, { installed, channel }: StartPoint, cost: Move<StartPoint, Hop>['cost']) => ({
  to: { installed: entry, channel: entry.channel },
  step: hop(installed, entry, channel),
  cost,
});

function stepOf(channel: EntryGroup, installed: Installed): Entry | undefined {
  const step = olmStep(channel, installed);
  return typeof step === 'object' && 'entry' in step ? step.entry : undefined;
}

/**
 * Returns OLM Classic's upgrade path to `goal`. In each channel its resolver picks the hop. Of all paths, the
 * one with the fewest changes of the Subscription's channel counts, then the fewest hops. Returns undefined
 * if OLM never gets there.
 */
export function olmWay(graph: UpgradeGraph, start: StartPoint, goal: string): Hop[] | undefined {
  const moves = (at: StartPoint) => {
    const own = graph.channels.find(({ channel }) => channel === at.channel);
    const otherwise = own === undefined ? undefined : stepOf(own, at.installed)?.name;
    return graph.channels.flatMap((channel) => {
      const entry = stepOf(channel, at.installed);
      if (entry === undefined) return [];
      const switches = channel.channel !== at.channel;
      const move = moveTo(entry, at, [Number(switches), 1]);
      return switches && otherwise !== undefined ? { ...move, step: { ...move.step, insteadOf: otherwise } } : move;
    });
  };
  return cheapestWay(start, { key, moves, isGoal: ({ installed }) => installed.name === goal });
}

/**
 * Returns the path with the fewest hops that the edges allow; then with the fewest changes of channel. Each
 * hop leads to any entry that replaces or skips the installed bundle or holds it in its skipRange. OLM v1
 * with a pinned version can take any of them (spec: v1-resolution.md).
 */
export function shortestWay(graph: UpgradeGraph, start: StartPoint, goal: string): Hop[] | undefined {
  const entries = graph.channels.flatMap((channel) => channel.entries);
  const moves = (at: StartPoint) =>
    entries
      .filter((entry) => entry.name !== at.installed.name && edgeKinds(entry, at.installed).length > 0)
      .map((entry) => moveTo(entry, at, [1, Number(entry.channel !== at.channel)]));
  return cheapestWay(start, { key, moves, isGoal: ({ installed }) => installed.name === goal });
}
