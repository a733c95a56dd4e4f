import { formatVersion } from '../../kernel/versions/version.js';
import { headOf, olmStep } from '../graph/upgrade-edges.js';
import { type Installed, type UpgradeGraph, versionText } from '../graph/upgrade-graph.js';
import { olmWay, type StartPoint, shortestWay } from './find-ways.js';
import type { Hop } from './hop.js';
import { explainNoWay } from './no-way.js';
import { noWayLines } from './no-way-text.js';

/** A bundle and its version. The version is empty if it is unknown. */
export type PathEnd = Readonly<{ bundle: string; version: string }>;

/** How to get from one version of a package to another. */
export type UpgradePath = Readonly<{
  package: string;
  from: PathEnd;
  to: PathEnd;
  /** The Subscription's channel at the start. */
  channel: string;
  /**
   * OLM Classic's path, hop by hop. Undefined if it never reaches the goal: then `why` gives the reason and a
   * way out.
   */
  olm?: readonly Hop[];
  /**
   * The fewest hops the edges allow, as with pinned versions of OLM v1. Undefined if there is no path at all.
   */
  shortest?: readonly Hop[];
  why?: readonly string[];
  /** OLM Classic's next bundle after `to`, unless plans are approved by hand. */
  goesOnTo?: string;
}>;

/** A question about a path: from the installed bundle to `goal`, starting in the Subscription's channel. */
export type PathQuestion = Readonly<{ start: StartPoint; goal: Installed }>;

/**
 * Returns the newest bundle of a channel. Returns undefined if the channel is unknown or has no single head.
 */
export function newestOf(graph: UpgradeGraph, channel: string): Installed | undefined {
  const group = graph.channels.find((one) => one.channel === channel);
  return group === undefined ? undefined : headOf(group);
}

/** Answers with OLM's own way and the shortest one, or with the reason why there is none. */
export function upgradePath(graph: UpgradeGraph, { start, goal }: PathQuestion): UpgradePath {
  const olm = olmWay(graph, start, goal.name);
  const shortest = shortestWay(graph, start, goal.name);
  const onward = olm === undefined ? undefined : goesOnTo(graph, goal, olm.at(-1)?.channel ?? start.channel);
  return {
    package: graph.record.name,
    from: pathEnd(start.installed),
    to: pathEnd(goal),
    channel: start.channel,
    ...(olm === undefined ? { why: noWayLines(explainNoWay(graph, start, goal)) } : { olm }),
    ...(shortest === undefined ? {} : { shortest }),
    ...(onward === undefined ? {} : { goesOnTo: onward }),
  };
}

const pathEnd = ({ name, version }: Installed): PathEnd => ({
  bundle: name,
  version: version === undefined ? '' : formatVersion(version),
});

function goesOnTo(graph: UpgradeGraph, goal: Installed, channel: string): string | undefined {
  const group = graph.channels.find((one) => one.channel === channel);
  const step = group === undefined ? 'stays' : olmStep(group, goal);
  if (step === 'stays' || 'unordered' in step) return undefined;
  return `${versionText(step.entry)} (${step.entry.name})`;
}
