import { type Bus, type Column, LANE_WIDTH, ROW_HEIGHT, type Source } from './column.js';
import { EDGES } from './palette.js';
import { element, tooltip } from './svg-element.js';

const CORNER = 8;
const FIRST_LANE = 12;

/** Edges of a column; `y` is the middle of its first row. Arrows point from the older entry to the newer. */
export function drawEdges(column: Column, y: number): string {
  const middle = (row: number) => y + row * ROW_HEIGHT;
  const rowOf = new Map(column.rows.map(({ node }, row) => [node.name, row]));
  // Straight edges run near the right end of the boxes: the space below a box belongs
  // to the note on its left.
  const x = column.boxX + column.boxWidth - 24;
  const straight = column.steps.map(({ from, to, taken }) => {
    const [start, end] = [middle(rowOf.get(from) ?? 0) - 13, middle(rowOf.get(to) ?? 0) + 14];
    return line('replaces', `M${x} ${start}V${end}`, taken === true, `${to} replaces ${from}`);
  });
  const left: Side = { edge: column.boxX, sign: -1, outermost: outermostLanes(column.left) };
  const right: Side = { edge: column.boxX + column.boxWidth, sign: 1, outermost: outermostLanes(column.right) };
  const beside = [
    ...column.left.map((bus) => drawBus(bus, left, middle)),
    ...column.right.map((bus) => drawBus(bus, right, middle)),
  ];
  return [...beside, ...straight].join('');
}

/**
 * One side of the boxes: the x of their ends, the direction away from them, and the outermost lane of each
 * kind of edges for each row.
 */
type Side = Readonly<{ edge: number; sign: 1 | -1; outermost: ReadonlyMap<string, number> }>;
type Middle = (row: number) => number;

const laneX = ({ edge, sign }: Side, { lane }: Bus): number => edge + sign * (FIRST_LANE + lane * LANE_WIDTH);

/** Draws the edges of a bus, those that OLM takes once more on top. */
function drawBus(bus: Bus, side: Side, middle: Middle): string {
  const words = `${bus.to} ${EDGES[bus.kind].label} ${bus.range}`.trim();
  const taken = bus.sources.filter((source) => source.taken);
  const faint = line(bus.kind, busPath(bus, bus.sources, side, middle), false, words);
  return taken.length === 0 ? faint : faint + line(bus.kind, busPath(bus, taken, side, middle, true), true, words);
}

/**
 * Branches from every source into the bus's lane, then the trunk from the farthest source on
 * each side of the target.
 */
function busPath(bus: Bus, sources: readonly Source[], side: Side, middle: Middle, whole = false): string {
  const below = sources.filter(({ row }) => row > bus.target).sort((a, b) => a.row - b.row);
  const above = sources.filter(({ row }) => row < bus.target).sort((a, b) => b.row - a.row);
  const reach = (some: readonly Source[], up: 1 | -1) => {
    const paths = some.map(({ row }) => branch(bus, row, up, side, middle, whole || isOutermost(bus, row, side)));
    return paths.length === 0 ? '' : paths.join('') + trunk(bus, up, side, middle);
  };
  return reach(above, 1) + reach(below, -1);
}

/**
 * True for the longest of the branches that leave one box together. Only this one is drawn from the box: more
 * would appear as a bold line.
 */
const isOutermost = (bus: Bus, row: number, { outermost }: Side): boolean =>
  outermost.get(`${bus.kind} ${row}`) === bus.lane;

function outermostLanes(buses: readonly Bus[]): ReadonlyMap<string, number> {
  const lanes = new Map<string, number>();
  for (const { kind, lane, sources } of buses) {
    for (const { row } of sources) lanes.set(`${kind} ${row}`, Math.max(lane, lanes.get(`${kind} ${row}`) ?? 0));
  }
  return lanes;
}

/**
 * Draws a branch. `up` is -1 if it goes up the page. Edges leave a box a little above its middle and arrive
 * below it.
 */
function branch(bus: Bus, row: number, up: 1 | -1, side: Side, middle: Middle, fromBox: boolean): string {
  const lane = laneX(side, bus);
  const y = middle(row) - 4;
  const corner = lane - side.sign * CORNER;
  return `M${fromBox ? side.edge : corner} ${y}H${corner}Q${lane} ${y} ${lane} ${y + up * CORNER}`;
}

function trunk(bus: Bus, up: 1 | -1, side: Side, middle: Middle): string {
  const lane = laneX(side, bus);
  const into = middle(bus.target) + 4;
  return `V${into - up * CORNER}Q${lane} ${into} ${lane - side.sign * CORNER} ${into}H${side.edge + side.sign * 3}`;
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
