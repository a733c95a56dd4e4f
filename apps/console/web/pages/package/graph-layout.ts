import { laneOf, type Span } from '#core/catalog/graph/svg/lanes';
import type { GraphAnswer } from '../../../src/api/catalogs.schema.js';

type ChannelAnswer = GraphAnswer['channels'][number];
type NodeAnswer = ChannelAnswer['nodes'][number];
type EdgeAnswer = ChannelAnswer['edges'][number];

export type GraphBox = Readonly<{ node: NodeAnswer; x: number; y: number }>;
type GraphLine = Readonly<{ edge: EdgeAnswer; d: string; headX: number; headY: number; up: boolean }>;
export type GraphColumn = Readonly<{
  name: string;
  x: number;
  width: number;
  boxes: readonly GraphBox[];
  lines: readonly GraphLine[];
}>;
type GraphPicture = Readonly<{ columns: readonly GraphColumn[]; width: number; height: number }>;

export const NODE_WIDTH = 190;
export const NODE_HEIGHT = 28;
const ROW = 42;
const LANE = 10;
const TOP = 34;
const GAP = 32;

type Sided = Span & Readonly<{ edge: EdgeAnswer; from: number; to: number }>;

/** Places lines next to the boxes, each in a lane without another line at its height. */
function besideOf(sided: readonly Sided[], right: number, y: (row: number) => number): GraphLine[] {
  const lanes = laneOf(sided);
  return sided.map((one) => {
    const lane = right + 14 + (lanes.get(one) ?? 0) * LANE;
    const [start, end] = [y(one.from) - 4, y(one.to) + 4];
    const bend = end < start ? -6 : 6;
    const d = `M${right} ${start}H${lane - 6}Q${lane} ${start} ${lane} ${start + bend}V${end - bend}Q${lane} ${end} ${lane - 6} ${end}H${right + 5}`;
    return { edge: one.edge, d, headX: right, headY: end, up: false };
  });
}

function columnOf(channel: ChannelAnswer, x: number): GraphColumn {
  const rows = new Map(channel.nodes.map(({ bundle }, row) => [bundle, row]));
  const y = (row: number) => TOP + row * ROW + NODE_HEIGHT / 2;
  const known = channel.edges.flatMap((edge) => {
    const [from, to] = [rows.get(edge.from), rows.get(edge.to)];
    if (from === undefined || to === undefined) return [];
    return [{ edge, from, to, top: Math.min(from, to), bottom: Math.max(from, to) }];
  });
  const isStep = ({ edge, from, to }: Sided) => edge.type === 'replaces' && from - to === 1;
  const steps = known.filter(isStep).map(({ edge, from, to }) => {
    const middle = x + NODE_WIDTH / 2;
    const [start, end] = [y(from) - NODE_HEIGHT / 2, y(to) + NODE_HEIGHT / 2];
    return { edge, d: `M${middle} ${start}V${end + 5}`, headX: middle, headY: end, up: true };
  });
  const sided = known.filter((one) => !isStep(one));
  const lines = [...steps, ...besideOf(sided, x + NODE_WIDTH, y)];
  const most = Math.max(0, ...laneOf(sided).values());
  const width = NODE_WIDTH + (sided.length === 0 ? 0 : 24 + most * LANE);
  return {
    name: channel.name,
    x,
    width,
    boxes: channel.nodes.map((node, row) => ({ node, x, y: TOP + row * ROW })),
    // Edges of the upgrade path are drawn last, over the rest.
    lines: lines.sort((a, b) => Number(a.edge.onWay) - Number(b.edge.onWay)),
  };
}

/**
 * Lays out every channel as a column, the newest entry on top; arrows lead from an entry to its successors.
 */
export function layOutGraph({ channels }: GraphAnswer): GraphPicture {
  const columns: GraphColumn[] = [];
  let x = 4;
  for (const channel of channels) {
    const column = columnOf(channel, x);
    columns.push(column);
    x += column.width + GAP;
  }
  const most = Math.max(1, ...channels.map(({ nodes }) => nodes.length));
  return { columns, width: Math.max(x - GAP + 8, 200), height: TOP + most * ROW };
}
