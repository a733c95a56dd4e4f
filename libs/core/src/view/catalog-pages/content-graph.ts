import { type ChannelView, type EdgeView, graphView, type NodeView } from '../../catalog/graph/graph-view.js';
import { graphOf, type Installed } from '../../catalog/graph/upgrade-graph.js';
import type { EntryRecord, PackageRecord } from '../../catalog/model/package-record.js';
import { findInstalled } from '../../catalog/path/find-point.js';
import { cutText } from '../../kernel/text/cut-text.js';
import { parseVersion } from '../../kernel/versions/blang-version.js';
import { compareVersions } from '../../kernel/versions/version.js';
import type { ContentGraph } from './catalog-answers.js';

/** Edges grow with the square of entries: no more than these are read, of all channels and of one. */
const MOST_READ = 3_000;
const MOST_READ_OF_CHANNEL = 300;
/** A picture of more cannot be read. */
const MOST_SHOWN = 150;
const FEWEST_OF_CHANNEL = 5;
const MOST_EDGES_OF_CHANNEL = 300;
const LONGEST_RANGE = 100;

function newest(a: EntryRecord, b: EntryRecord): number {
  const [one, other] = [parseVersion(a.version), parseVersion(b.version)];
  if ('error' in one || 'error' in other) return Number('error' in one) - Number('error' in other);
  return compareVersions(other, one);
}

/** The newest entries of each channel, and those of one bundle. */
function withinReading(record: PackageRecord, from: string): PackageRecord {
  const byChannel = [...Map.groupBy(record.entries, ({ channel }) => channel).values()].slice(0, MOST_SHOWN);
  const most = Math.min(MOST_READ_OF_CHANNEL, Math.ceil(MOST_READ / Math.max(1, byChannel.length)));
  const entries = byChannel.flatMap((all) =>
    all.length <= most ? all : all.toSorted(newest).filter(({ name }, index) => index < most || name === from),
  );
  return { ...record, entries };
}

function isKept(channel: ChannelView, most: number): (node: NodeView, index: number) => boolean {
  const onWay = new Set(channel.edges.filter(({ taken }) => taken).flatMap(({ from, to }) => [from, to]));
  return ({ name, marks }, index) => index < most || marks.includes('installed') || onWay.has(name);
}

/**
 * Returns the sort order of an edge: edges that OLM takes, then edges named one by one, then edges from a
 * range.
 */
const weight = ({ taken, kind }: EdgeView): number => (taken ? 0 : kind === 'skipRange' ? 2 : 1);

/**
 * Returns the upgrade graph of a package for a picture. Over 150 entries it has only the newest of each
 * channel, and the upgrade path of the installed bundle.
 */
export function contentGraph(all: PackageRecord, from: string): ContentGraph {
  const record = withinReading(all, from);
  const graph = graphOf(record);
  const point = from === '' ? undefined : findInstalled(graph, from);
  const installed: Installed | undefined = point?.kind === 'found' ? point.installed : undefined;
  const view = graphView(graph, installed);
  const total = view.channels.reduce((sum, { entries }) => sum + entries.length, 0);
  const share = Math.floor(MOST_SHOWN / Math.max(1, view.channels.length));
  const most = total <= MOST_SHOWN ? total : Math.max(FEWEST_OF_CHANNEL, share);
  const ranges = Map.groupBy(record.entries, ({ channel }) => channel);
  const channels = view.channels.map((channel) => channelOf(channel, most, ranges.get(channel.name) ?? []));
  // A name that entries only lead on from is no entry.
  const entries = new Set(all.entries.map(({ name }) => name));
  const shown = channels.reduce((sum, { nodes }) => sum + nodes.filter(({ bundle }) => entries.has(bundle)).length, 0);
  const { defaultChannel } = record;
  return { from: installed?.name ?? '', defaultChannel, channels, older: all.entries.length - shown };
}

function channelOf(
  channel: ChannelView,
  most: number,
  entries: readonly EntryRecord[],
): ContentGraph['channels'][number] {
  const ranges = new Map(entries.map(({ name, skipRange }) => [name, cutText(skipRange, LONGEST_RANGE)]));
  const nodes = channel.entries.filter(isKept(channel, most));
  const names = new Set(nodes.map(({ name }) => name));
  const edges = channel.edges
    .filter(({ from, to }) => names.has(from) && names.has(to))
    .toSorted((a, b) => weight(a) - weight(b))
    .slice(0, MOST_EDGES_OF_CHANNEL);
  return {
    name: channel.name,
    nodes: nodes.map(({ name, version, marks }) => ({
      bundle: name,
      version,
      reachable: marks.includes('reachable'),
      head: marks.includes('newest'),
      deprecated: marks.includes('deprecated'),
      skipped: marks.includes('skipped'),
      range: ranges.get(name) ?? '',
    })),
    edges: edges.map(({ from, to, kind, taken }) => ({ from, to, type: kind, taken: taken === true })),
  };
}

/** Returns OLM's upgrade path in a channel, bundle by bundle. Empty if there is none. */
export function wayIn({ from, channels }: ContentGraph, channelName: string): string[] {
  const channel = channels.find(({ name }) => name === channelName);
  const steps = new Map(channel?.edges.filter(({ taken }) => taken).map((edge) => [edge.from, edge.to]));
  const way: string[] = [];
  for (let at: string | undefined = from; at && !way.includes(at); at = steps.get(at)) way.push(at);
  return way.length > 1 ? way : [];
}
