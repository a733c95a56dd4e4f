import { laneOf } from '#core/catalog/graph/svg/lanes';
import type { GraphLine, LineEdge } from '#core/view/catalog-pages/graph-lines';
import type { GraphAnswer } from '../../../src/api/catalogs.schema.js';

export type GraphChannel = GraphAnswer['channels'][number];
export type GraphNode = GraphChannel['nodes'][number];
type Line = GraphLine<GraphNode>;

/** An edge as it is drawn: its line, and its arrow head. */
type Stroke = Readonly<{ edge: LineEdge; d: string; head: string }>;

/** Height of a line, and width of the strip for edges, in CSS pixels. */
export const LINE = 30;
export const STRIP = 74;
/** The middle of each dot. */
export const DOT = 12;
const LANE = 9;
/** Edges of further lanes share the last one, so that a strip is never wider. */
const LAST_LANE = 5;

const middleOf = (place: number): number => place * LINE + LINE / 2;

const headUp = (x: number, y: number): string => `M${x - 4} ${y + 6}L${x} ${y}L${x + 4} ${y + 6}z`;
const headLeft = (x: number, y: number): string => `M${x + 7} ${y - 4}L${x} ${y}L${x + 7} ${y + 4}z`;

function straight(edge: LineEdge): Stroke {
  const [start, end] = [middleOf(edge.from) - 6, middleOf(edge.to) + 7];
  return { edge, d: `M${DOT} ${start}V${end + 5}`, head: headUp(DOT, end) };
}

function beside(edge: LineEdge, lane: number): Stroke {
  const x = DOT + 12 + Math.min(lane, LAST_LANE) * LANE;
  const [start, end] = [middleOf(edge.from) - 3, middleOf(edge.to) + 3];
  const bend = end < start ? -5 : 5;
  const d = `M${DOT + 5} ${start}H${x - 5}Q${x} ${start} ${x} ${start + bend}V${end - bend}Q${x} ${end} ${x - 5} ${end}H${DOT + 9}`;
  return { edge, d, head: headLeft(DOT + 6, end) };
}

/** True if only open minor versions, which no edge meets, lie between both ends. */
const isStep = ({ from, to }: LineEdge, lines: readonly Line[]): boolean =>
  from > to && lines.slice(to + 1, from).every((line) => line.kind === 'minor' && line.isOpen);

/**
 * Lays out the edges of one channel that are drawn now, the path last: those that are always drawn, and those
 * of the active line.
 */
export function strokesOf(
  lines: readonly Line[],
  edges: readonly LineEdge[],
  active: number | undefined,
): readonly Stroke[] {
  const shown = edges.filter(({ isAlwaysShown, from, to }) => isAlwaysShown || from === active || to === active);
  const sided = shown
    .filter((edge) => !isStep(edge, lines))
    .map((edge) => ({ edge, top: Math.min(edge.from, edge.to), bottom: Math.max(edge.from, edge.to) }));
  const lanes = laneOf(sided);
  return [
    ...shown.filter((edge) => isStep(edge, lines)).map(straight),
    ...sided.map((one) => beside(one.edge, lanes.get(one) ?? 0)),
  ].toSorted((a, b) => Number(a.edge.onWay) - Number(b.edge.onWay));
}
