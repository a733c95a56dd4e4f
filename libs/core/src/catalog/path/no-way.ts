import { skippedNames } from '../graph/upgrade-edges.js';
import { byVersion, type Installed, newestFirst, type UpgradeGraph } from '../graph/upgrade-graph.js';
import type { EntryGroup } from '../model/catalog-view.js';
import type { Entry } from '../model/entry.js';
import type { StartPoint } from './find-ways.js';
import { leadingTo, olmSteps, reachedFrom } from './olm-reach.js';
import { type ChannelWalk, walkChannel } from './walk-channel.js';

/**
 * The reason why OLM Classic does not get from one version to another, with any channel of the Subscription.
 */
export type NoWay = Readonly<{
  reason:
    | 'older' // the goal is older than what is installed
    | 'skipped' // OLM never installs the goal: entries skip it
    | 'passed' // OLM goes from a version below the goal to one above it
    | 'stuck' // nothing that leads to the goal follows `stopsAt`
    | 'circles' // the edges lead back to where it was
    | 'unordered'; // the channel has no single order
  start: Installed;
  goal: Installed;
  channel: string;
  /** Names OLM goes through by itself in the channel. */
  way: readonly string[];
  /** The newest version short of the goal that OLM gets to. */
  stopsAt: Installed;
  /** The entry that would have to skip `stopsAt`. */
  shouldSkip?: Readonly<{ entry: Installed; channel: string }>;
  /** The version nearest to `stopsAt` that OLM can upgrade to the goal. */
  nearest?: Installed;
  skippedBy?: string;
}>;

/** Explains a missing upgrade path. Call it only if no path was found. */
export function explainNoWay(graph: UpgradeGraph, { installed: start, channel }: StartPoint, goal: Installed): NoWay {
  const steps = olmSteps(graph, start);
  const leads = leadingTo(steps, goal);
  const stopsAt = newestShortOf(goal, reachedFrom(steps, start)) ?? start;
  const group = graph.channels.find((one) => one.channel === channel);
  const walk = group === undefined ? undefined : walkChannel(group, start);
  const nearest = nearestOf(graph, stopsAt, new Set([...leads].filter((name) => name !== goal.name)));
  const shouldSkip = landing(graph, stopsAt, leads);
  const skippedBy = skipperOf(graph, goal);
  return {
    reason: reasonOf(start, goal, walk, skippedBy),
    start,
    goal,
    channel,
    way: [start.name, ...(walk?.hops ?? []).map(({ to }) => to)],
    stopsAt,
    ...(shouldSkip === undefined ? {} : { shouldSkip }),
    ...(nearest === undefined ? {} : { nearest }),
    ...(skippedBy === undefined ? {} : { skippedBy }),
  };
}

function reasonOf(
  from: Installed,
  goal: Installed,
  walk: ChannelWalk | undefined,
  skippedBy: string | undefined,
): NoWay['reason'] {
  if (byVersion(goal, from) < 0) return 'older';
  if (skippedBy !== undefined) return 'skipped';
  if (walk === undefined) return 'stuck';
  if (walk.outcome !== 'rests') return walk.outcome;
  return byVersion(walk.end, goal) > 0 ? 'passed' : 'stuck';
}

const newestShortOf = (goal: Installed, bundles: readonly Installed[]): Installed | undefined =>
  bundles.filter((bundle) => byVersion(bundle, goal) < 0).toSorted(newestFirst)[0];

const allEntries = ({ channels }: UpgradeGraph): Entry[] => channels.flatMap(({ entries }) => entries);

const groupsWith = (graph: UpgradeGraph, name: string): EntryGroup[] =>
  graph.channels.filter(({ entries }) => entries.some((entry) => entry.name === name));

/**
 * Returns the name of an entry that skips the goal. Returns undefined if a channel that holds the goal does
 * not skip it.
 */
function skipperOf(graph: UpgradeGraph, { name }: Installed): string | undefined {
  const groups = groupsWith(graph, name);
  if (groups.length === 0 || !groups.every((group) => skippedNames(group).has(name))) return undefined;
  return groups[0]?.entries.toSorted(newestFirst).find(({ skips }) => skips.includes(name))?.name;
}

/** Returns the lowest of the versions above. Returns the highest below only if there is none above. */
function nearestOf(graph: UpgradeGraph, from: Installed, names: ReadonlySet<string>): Installed | undefined {
  const upward = allEntries(graph)
    .filter(({ name }) => names.has(name) && name !== from.name)
    .sort((a, b) => newestFirst(b, a));
  return upward.find((entry) => byVersion(entry, from) > 0) ?? upward.at(-1);
}

/** Returns the lowest entry above `from` that OLM may take and that leads to the goal, or the goal itself. */
function landing(graph: UpgradeGraph, from: Installed, leads: ReadonlySet<string>): NoWay['shouldSkip'] {
  const skippedIn = new Map(graph.channels.map((group) => [group.channel, skippedNames(group)]));
  const entry = allEntries(graph)
    .filter(({ name, channel, facts }) => leads.has(name) && !skippedIn.get(channel)?.has(name) && !facts.deprecated)
    .sort((a, b) => newestFirst(b, a))
    .find((one) => byVersion(one, from) > 0);
  return entry === undefined ? undefined : { entry, channel: entry.channel };
}
