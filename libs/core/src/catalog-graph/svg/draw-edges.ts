import { type Bus, type Column, LANE_WIDTH, ROW_HEIGHT, type Source } from './column.js';
import { EDGES } from './palette.js';
import { element, tooltip } from './svg-element.js';

const CORNER = 8;
const FIRST_LANE = 12;

/** Edges of a column; `y` is the middle of its first row. Arrows point from the older entry to the newer. */
export function drawEdges(column: Column, y: number): string {
  const middle = (row: number) => y + row * ROW_HEIGHT;
  const rowOf = new Map(column.rows.map(({ node }, row) => [node.name, row]));
  const centre = column.boxX + column.boxWidth / 2;
  const straight = column.steps.map(({ from, to, taken }) => {
    const [start, end] = [middle(rowOf.get(from) ?? 0) - 13, middle(rowOf.get(to) ?? 0) + 14];
    return line('replaces', `M${centre} ${start}V${end}`, taken === true, `${to} replaces ${from}`);
  });
  const right = column.boxX + column.boxWidth;
  return [
    ...column.left.map((bus) => drawBus(bus, column.boxX, -1, middle, rowOf)),
    ...column.right.map((bus) => drawBus(bus, right, 1, middle, rowOf)),
    ...straight,
  ].join('');
}

/** A trunk in the bus's lane with an arrow into the target, and a branch from every source into the trunk. */
function drawBus(
  bus: Bus,
  boxEdge: number,
  side: 1 | -1,
  middle: (row: number) => number,
  rowOf: ReadonlyMap<string, number>,
): string {
  const lane = boxEdge + side * (FIRST_LANE + bus.lane * LANE_WIDTH);
  const target = rowOf.get(bus.to) ?? 0;
  // Edges come in a little below the middle where they go out above it, so that arrows and branches of one box stay apart.
  const into = middle(target) + 4;
  const words = `${bus.to} ${EDGES[bus.kind].label} ${bus.range}`.trim();
  const ways = bus.sources.toSorted((a, b) => b.row - a.row);
  const taken = ways.filter((source) => source.taken);
  const draw = (sources: readonly Source[], strong: boolean) => {
    const farthest = sources[0];
    if (farthest === undefined) return '';
    const branches = sources.map(({ row }) => branch(boxEdge, lane, middle(row) - 4, row < target));
    const trunk = trunkPath(boxEdge, lane, middle(farthest.row) - 4, into, side);
    return line(bus.kind, [...branches.slice(1), trunk].join(''), strong, words);
  };
  return draw(ways, false) + draw(taken, true);
}

function trunkPath(boxEdge: number, lane: number, from: number, into: number, side: 1 | -1): string {
  const up = into < from ? -1 : 1;
  const bend = `V${into - up * CORNER}Q${lane} ${into} ${lane - side * CORNER} ${into}`;
  return `${branch(boxEdge, lane, from, up === 1)}${bend}H${boxEdge + side * 3}`;
}

function branch(boxEdge: number, lane: number, from: number, downwards: boolean): string {
  const corner = lane < boxEdge ? lane + CORNER : lane - CORNER;
  return `M${boxEdge} ${from}H${corner}Q${lane} ${from} ${lane} ${from + (downwards ? CORNER : -CORNER)}`;
}

function line(kind: Bus['kind'], path: string, strong: boolean, words: string): string {
  const { colour, dashes, opacity } = EDGES[kind];
  return element(
    'path',
    {
      ...{ d: path.replaceAll(/(\.\d)\d+/g, '$1'), fill: 'none', stroke: colour },
      ...{ 'stroke-width': strong ? 3 : 1.3, 'stroke-linecap': 'round' },
      ...(strong || opacity === 1 ? {} : { 'stroke-opacity': String(opacity) }),
      ...(dashes === '' ? {} : { 'stroke-dasharray': dashes }),
      'marker-end': `url(#${kind}${strong ? '-taken' : ''})`,
    },
    tooltip(words),
  );
}
