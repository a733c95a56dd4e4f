import type { ChannelView, EdgeView, NodeView } from '../graph-view.js';
import type { EdgeKind } from '../upgrade-edges.js';
import { laneOf, type Span } from './lanes.js';
import { TAGS } from './palette.js';
import { shortened, textWidth } from './svg-element.js';

/**
 * The layout of one channel: the places of its boxes and the lanes of its edges. All in pixels from the
 * column's left end.
 */
export type Column = Readonly<{
  channel: ChannelView;
  rows: readonly Row[];
  /** Edges to the entry in the next row above, drawn straight. */
  steps: readonly EdgeView[];
  /** Edges with a lane next to the boxes, `skipRange` on the left and the others on the right. */
  left: readonly Bus[];
  right: readonly Bus[];
  boxX: number;
  boxWidth: number;
  width: number;
}>;

export type Row = Readonly<{ node: NodeView; label: string; tags: readonly string[]; note: string }>;

/** All edges of one kind into one entry, the one in row `target`. */
export type Bus = Span &
  Readonly<{ kind: EdgeKind; to: string; target: number; range: string; lane: number; sources: readonly Source[] }>;
export type Source = Readonly<{ row: number; taken: boolean }>;

export const ROW_HEIGHT = 38;
export const LANE_WIDTH = 9;
const GUTTER = 18;
const MAX_LABEL = 30;

/**
 * Lays out a channel, newest on top. A skipped bundle that is not in the channel gets no box, only a word at
 * the entry that skips it.
 */
export function layOut(channel: ChannelView, packageName: string): Column {
  const shown = shownNodes(channel);
  const rowOf = new Map(shown.map(({ name }, row) => [name, row]));
  const inSight = channel.edges.filter(({ from }) => rowOf.has(from));
  const isStep = ({ kind, from, to }: EdgeView) =>
    kind === 'replaces' && (rowOf.get(from) ?? 0) - (rowOf.get(to) ?? 0) === 1;
  const others = inSight.filter((edge) => !isStep(edge));
  const left = buses(
    others.filter(({ kind }) => kind === 'skipRange'),
    rowOf,
  );
  const right = buses(
    others.filter(({ kind }) => kind !== 'skipRange'),
    rowOf,
  );
  const rows = shown.map((node) => row(node, channel, packageName, rowOf));
  const boxWidth = Math.max(...rows.map(rowWidth), textWidth(shortened(channel.name, MAX_LABEL)) + 90, 120);
  const leftWidth = gutter(left);
  return {
    channel,
    rows,
    steps: inSight.filter(isStep),
    left,
    right,
    boxX: leftWidth,
    boxWidth,
    width: leftWidth + boxWidth + gutter(right),
  };
}

function shownNodes({ entries, edges }: ChannelView): NodeView[] {
  const replaced = new Set(edges.filter(({ kind }) => kind === 'replaces').map(({ from }) => from));
  return entries.filter(
    ({ name, marks }) => !marks.includes('absent') || marks.includes('installed') || replaced.has(name),
  );
}

function row(node: NodeView, { edges }: ChannelView, packageName: string, rowOf: ReadonlyMap<string, number>): Row {
  const { name, marks } = node;
  const short = name.startsWith(`${packageName}.`) ? name.slice(packageName.length + 1) : name;
  const unseen = edges.filter(({ kind, from, to }) => kind === 'skips' && to === name && !rowOf.has(from)).length;
  return {
    node,
    label: shortened(short, MAX_LABEL),
    tags: marks.map((mark) => TAGS[mark].label),
    note: unseen === 0 ? '' : `skips ${unseen} not in this channel`,
  };
}

const tagWidth = (label: string): number => textWidth(label) * 0.8 + 12;

/** Widths of an entry's tags, from right to left, with the gaps between them. */
export const tagsWidth = ({ tags }: Row): number => tags.reduce((sum, tag) => sum + tagWidth(tag) + 4, 0);

/**
 * Returns the width of a row. Names may be bold, hence wider; a straight edge must have its place next to a
 * note.
 */
const rowWidth = (one: Row): number =>
  Math.max(textWidth(one.label) * 1.05 + tagsWidth(one) + 24, textWidth(one.note) * 0.75 + 44);

export { tagWidth };

function buses(edges: readonly EdgeView[], rowOf: ReadonlyMap<string, number>): Bus[] {
  const groups = Map.groupBy(edges, ({ kind, to }) => `${kind}\u0000${to}`);
  const spans = [...groups.values()].flatMap((group) => {
    const [first] = group;
    if (first === undefined) return [];
    const target = rowOf.get(first.to) ?? 0;
    const sources = group.map(({ from, taken }) => ({ row: rowOf.get(from) ?? 0, taken: taken === true }));
    const all = [target, ...sources.map((source) => source.row)];
    return {
      ...{ kind: first.kind, to: first.to, range: first.range ?? '', sources, target },
      ...{ top: Math.min(...all), bottom: Math.max(...all) },
    };
  });
  const lanes = laneOf(spans);
  return spans.map((span) => ({ ...span, lane: lanes.get(span) ?? 0 }));
}

const gutter = (all: readonly Bus[]): number => GUTTER + LANE_WIDTH * Math.max(0, ...all.map(({ lane }) => lane + 1));
