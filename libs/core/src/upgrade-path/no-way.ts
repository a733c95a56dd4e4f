import { skippedNames } from '../catalog-graph/upgrade-edges.js';
import { byVersion, type Installed, newestFirst, type UpgradeGraph } from '../catalog-graph/upgrade-graph.js';
import type { EntryGroup } from '../resolution/catalog-view.js';
import type { Entry } from '../resolution/entry.js';
import type { Standing } from './find-ways.js';
import type { Hop } from './hop.js';
import { walkChannel } from './walk-channel.js';

/** Why OLM Classic does not get from one version to another. */
export type NoWay = Readonly<{
  reason:
    | 'older' // the goal is older than what is installed
    | 'skipped' // OLM never installs the goal: entries skip it
    | 'passed' // OLM goes from a version below the goal to one above it
    | 'stuck' // nothing follows `stopsAt`
    | 'circles' // the edges lead back to where it was
    | 'unordered'; // the channel has no single order
  goal: Installed;
  /** How far OLM gets by itself in the channel, and where it is then. */
  hops: readonly Hop[];
  stopsAt: Installed;
  channel: string;
  /** The entry that would have to skip `stopsAt`. */
  shouldSkip?: Readonly<{ entry: Installed; channel: string }>;
  /** The version nearest to `stopsAt` from which OLM gets to the goal inside one channel, and that channel. */
  nearest?: Readonly<{ bundle: Installed; channel: string }>;
  skippedBy?: string;
}>;

/** Finds out what is in the way; to be asked where no way was found. */
export function explainNoWay(graph: UpgradeGraph, start: Standing, goal: Installed): NoWay {
  const channel = graph.channels.find((group) => group.channel === start.channel);
  const walk = channel === undefined ? undefined : walkChannel(channel, start.installed);
  const stopsAt = walk?.end ?? start.installed;
  const nearest = nearestWithWay(graph, stopsAt, goal);
  const skippedBy = skipperOf(graph, goal);
  const shouldSkip = landing(graph, nearest?.channel ?? start.channel, stopsAt, goal);
  const reason = reasonOf(start.installed, goal, walk, skippedBy);
  return {
    reason,
    goal,
    hops: walk?.hops ?? [],
    stopsAt,
    channel: start.channel,
    ...(shouldSkip === undefined ? {} : { shouldSkip }),
    ...(nearest === undefined ? {} : { nearest }),
    ...(skippedBy === undefined ? {} : { skippedBy }),
  };
}

function reasonOf(
  from: Installed,
  goal: Installed,
  walk: ReturnType<typeof walkChannel> | undefined,
  skippedBy: string | undefined,
): NoWay['reason'] {
  if (byVersion(goal, from) < 0) return 'older';
  if (skippedBy !== undefined) return 'skipped';
  if (walk === undefined) return 'stuck';
  if (walk.outcome !== 'rests') return walk.outcome;
  return byVersion(walk.end, goal) > 0 ? 'passed' : 'stuck';
}

const groupsWith = (graph: UpgradeGraph, name: string): EntryGroup[] =>
  graph.channels.filter(({ entries }) => entries.some((entry) => entry.name === name));

/** Who skips the goal, where every channel that holds it has an entry that does. */
function skipperOf(graph: UpgradeGraph, { name }: Installed): string | undefined {
  const groups = groupsWith(graph, name);
  if (groups.length === 0 || !groups.every((group) => skippedNames(group).has(name))) return undefined;
  return groups[0]?.entries.toSorted(newestFirst).find(({ skips }) => skips.includes(name))?.name;
}

/** The entries of a channel from which OLM gets to the goal without anybody's help. */
function withWay(channel: EntryGroup, goal: Installed): Entry[] {
  return channel.entries.filter(
    (entry) => entry.name !== goal.name && walkChannel(channel, entry).hops.some(({ to }) => to === goal.name),
  );
}

/** Of the versions above, the lowest; only where there is none above, the highest below. */
function nearestWithWay(graph: UpgradeGraph, from: Installed, goal: Installed): NoWay['nearest'] {
  const all = groupsWith(graph, goal.name).flatMap((group) =>
    withWay(group, goal).map((bundle) => ({ bundle, channel: group.channel })),
  );
  const upward = all.toSorted((a, b) => newestFirst(b.bundle, a.bundle));
  const others = upward.filter(({ bundle }) => bundle.name !== from.name);
  return others.find(({ bundle }) => byVersion(bundle, from) > 0) ?? others.at(-1);
}

/** The lowest entry above `from` that OLM would take and that leads to the goal, or the goal itself. */
function landing(graph: UpgradeGraph, preferred: string, from: Installed, goal: Installed): NoWay['shouldSkip'] {
  const groups = groupsWith(graph, goal.name);
  const group = groups.find(({ channel }) => channel === preferred) ?? groups[0];
  if (group === undefined) return undefined;
  const skipped = skippedNames(group);
  const leads = new Set([goal.name, ...withWay(group, goal).map(({ name }) => name)]);
  const entry = group.entries
    .filter(({ name, facts }) => leads.has(name) && !skipped.has(name) && !facts.deprecated)
    .sort((a, b) => newestFirst(b, a))
    .find((one) => byVersion(one, from) > 0);
  return entry === undefined ? undefined : { entry, channel: group.channel };
}
