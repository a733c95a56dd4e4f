import { byCodeUnit } from '../../kernel/canonical/canonical-json.js';
import type { EntryGroup } from '../model/catalog-view.js';
import type { Entry } from '../model/entry.js';
import { type EdgeKind, edgeKinds, headOf, olmStep, skippedNames } from './upgrade-edges.js';
import {
  deprecationOf,
  type Installed,
  newestFirst,
  skipRangeText,
  type UpgradeGraph,
  versionText,
} from './upgrade-graph.js';

/** A package's upgrade graph as a user reads it, with marks that concern one installed version. */
export type GraphView = Readonly<{
  package: string;
  defaultChannel: string;
  deprecated?: string;
  installed?: string;
  channels: readonly ChannelView[];
}>;

export type ChannelView = Readonly<{
  name: string;
  default: boolean;
  deprecated?: string;
  /** Newest first. Bundles that an edge names and that are not in the channel stand last. */
  entries: readonly NodeView[];
  edges: readonly EdgeView[];
}>;

export type NodeView = Readonly<{ name: string; version: string; marks: readonly NodeMark[]; deprecated?: string }>;

/**
 * Marks of a bundle.
 * - `newest`: OLM Classic takes it for the newest of the channel.
 * - `reachable`: edges of the channel lead there from the installed version, over installable entries.
 * - `skipped`: an entry skips it, so OLM never installs it.
 * - `absent`: no entry.
 */
export type NodeMark = 'installed' | 'newest' | 'reachable' | 'skipped' | 'deprecated' | 'absent';

/** An edge of the graph. `taken`: OLM Classic takes it on its own from the installed version. */
export type EdgeView = Readonly<{ from: string; to: string; kind: EdgeKind; range?: string; taken?: true }>;

/** Returns the same view for any order of blobs and entries. */
export function graphView({ record, channels }: UpgradeGraph, installed?: Installed): GraphView {
  return {
    package: record.name,
    defaultChannel: record.defaultChannel,
    ...(record.deprecation === undefined ? {} : { deprecated: record.deprecation }),
    ...(installed === undefined ? {} : { installed: installed.name }),
    channels: channels.toSorted(forReading).map((channel) => {
      const messages = record.channelDeprecations ?? {};
      const deprecated = Object.hasOwn(messages, channel.channel) ? messages[channel.channel] : undefined;
      return channelView(channel, installed, deprecated);
    }),
  };
}

/**
 * Compares channels: the default channel first, then by name with numbers as numbers: stable-3.9 before
 * stable-3.10.
 */
export function forReading(a: EntryGroup, b: EntryGroup): number {
  const padded = ({ channel }: EntryGroup) => channel.replaceAll(/\d+/g, (digits) => digits.padStart(12, '0'));
  return (
    Number(b.isDefault) - Number(a.isDefault) || byCodeUnit(padded(a), padded(b)) || byCodeUnit(a.channel, b.channel)
  );
}

function channelView(
  channel: EntryGroup,
  installed: Installed | undefined,
  deprecated: string | undefined,
): ChannelView {
  const entries = channel.entries.toSorted(newestFirst);
  const reachable = installed === undefined ? new Set<string>() : reachableFrom(channel, installed);
  const edges = edgesOf(entries, installed, takenHops(channel, installed));
  const marks = {
    installed: installed?.name,
    newest: headOf(channel)?.name,
    reachable,
    skipped: skippedNames(channel),
  };
  const present = new Set(entries.map(({ name }) => name));
  const absent = [...new Set(edges.map(({ from }) => from))].filter((name) => !present.has(name)).sort(byCodeUnit);
  return {
    name: channel.channel,
    default: channel.isDefault,
    ...(deprecated === undefined ? {} : { deprecated }),
    entries: [
      ...entries.map((entry) => nodeView(entry.name, versionText(entry), deprecationOf(entry), marks)),
      ...absent.map((name) => ({ name, version: '', marks: absentMarks(name, installed) })),
    ],
    edges,
  };
}

type Marks = Readonly<{
  installed: string | undefined;
  newest: string | undefined;
  reachable: ReadonlySet<string>;
  skipped: ReadonlySet<string>;
}>;

function nodeView(name: string, version: string, deprecated: string | undefined, marks: Marks): NodeView {
  const isMarked: Readonly<Record<NodeMark, boolean>> = {
    installed: name === marks.installed,
    newest: name === marks.newest,
    reachable: marks.reachable.has(name),
    skipped: marks.skipped.has(name),
    deprecated: deprecated !== undefined,
    absent: false,
  };
  const order: readonly NodeMark[] = ['installed', 'newest', 'reachable', 'skipped', 'deprecated'];
  return {
    name,
    version,
    marks: order.filter((mark) => isMarked[mark]),
    ...(deprecated === undefined ? {} : { deprecated }),
  };
}

const absentMarks = (name: string, installed: Installed | undefined): NodeMark[] =>
  name === installed?.name ? ['installed', 'absent'] : ['absent'];

/**
 * Returns the edges of a channel. A skipRange may also cover an installed version that is no entry itself.
 */
function edgesOf(entries: readonly Entry[], installed: Installed | undefined, taken: ReadonlySet<string>): EdgeView[] {
  const sources: Installed[] = [...entries];
  if (installed !== undefined && !entries.some(({ name }) => name === installed.name)) sources.push(installed);
  const names = new Set(sources.map(({ name }) => name));
  return entries.flatMap((entry) => {
    const named = [...new Set([entry.replaces, ...entry.skips])].filter((name) => name !== '' && !names.has(name));
    const all = [...sources, ...named.sort(byCodeUnit).map((name): Installed => ({ name }))];
    return all
      .filter((from) => from.name !== entry.name)
      .flatMap((from) => edgeKinds(entry, from).map((kind) => edgeView(from.name, entry, kind, taken)));
  });
}

function edgeView(from: string, entry: Entry, kind: EdgeKind, taken: ReadonlySet<string>): EdgeView {
  return {
    from,
    to: entry.name,
    kind,
    ...(kind === 'skipRange' ? { range: skipRangeText(entry) } : {}),
    ...(taken.has(hopKey(from, entry.name)) ? { taken: true as const } : {}),
  };
}

const hopKey = (from: string, to: string): string => `${from}\u0000${to}`;

/** Returns the hops OLM Classic makes in the channel when it is left alone. */
function takenHops(channel: EntryGroup, installed: Installed | undefined): ReadonlySet<string> {
  const hops = new Set<string>();
  let at = installed;
  while (at !== undefined) {
    const step = olmStep(channel, at);
    if (step === 'stays' || 'unordered' in step) break;
    const key = hopKey(at.name, step.entry.name);
    if (hops.has(key)) break;
    hops.add(key);
    at = step.entry;
  }
  return hops;
}

function reachableFrom(channel: EntryGroup, installed: Installed): ReadonlySet<string> {
  const skipped = skippedNames(channel);
  const installable = channel.entries.filter(({ name, facts }) => !skipped.has(name) && !facts.deprecated);
  const reached = new Set<string>();
  const open: Installed[] = [installed];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    for (const entry of installable) {
      if (reached.has(entry.name) || edgeKinds(entry, at).length === 0) continue;
      reached.add(entry.name);
      open.push(entry);
    }
  }
  reached.delete(installed.name);
  return reached;
}
