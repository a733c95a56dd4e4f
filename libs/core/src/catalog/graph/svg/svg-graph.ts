import type { GraphView } from '../graph-view.js';
import { type Column, layOut, ROW_HEIGHT, type Row, tagsWidth, tagWidth } from './column.js';
import { drawEdges } from './draw-edges.js';
import { legend } from './legend.js';
import { boxStyle, EDGES, INK, PALE_INK, PANEL, PAPER, RULE, TAGS } from './palette.js';
import { element, escaped, shortened, text, tooltip } from './svg-element.js';

const MARGIN = 20;
const GAP = 16;
const BOX_HEIGHT = 26;
const MIN_WIDTH = 760;
const MAX_WIDTH = 1900;
const HEAD = 62;

/**
 * Draws a package's upgrade graph: one column per channel, newest on top. Columns that do not fit next to the
 * others go below them. Equal views give equal bytes.
 */
export function svgGraph(view: GraphView): string {
  const placed = flow(view.channels.map((channel) => layOut(channel, view.package)));
  const width = Math.round(Math.max(MIN_WIDTH, ...placed.map(({ x, column }) => x + outerWidth(column) + MARGIN)));
  const key = legend(width - 2 * MARGIN);
  const top = MARGIN + 58 + key.height;
  const height = Math.round(Math.max(top, ...placed.map(({ y, column }) => top + y + outerHeight(column))) + MARGIN);
  const body = [
    `<title>${escaped(`Upgrade graph of ${view.package}`)}</title>`,
    element('defs', {}, markers()),
    element('rect', { width, height, rx: 10, fill: PAPER }),
    ...heading(view),
    element('g', { transform: `translate(${MARGIN} ${MARGIN + 46})` }, key.markup),
    ...placed.map(({ column, x, y }) =>
      element('g', { transform: `translate(${Math.round(x)} ${Math.round(top + y)})` }, drawColumn(column)),
    ),
  ];
  const root = { xmlns: 'http://www.w3.org/2000/svg', width, height, viewBox: `0 0 ${width} ${height}` };
  const font = { 'font-family': 'sans-serif', 'font-size': 12, role: 'img' };
  return `${element('svg', { ...root, ...font }, `\n${body.join('\n')}\n`)}\n`;
}

const outerWidth = ({ width }: Column): number => width + 2 * GAP;
const outerHeight = ({ rows }: Column): number => HEAD + rows.length * ROW_HEIGHT;

type Placed = Readonly<{ column: Column; x: number; y: number }>;

/**
 * Columns from left to right, in as many bands as the greatest width asks for; `y` from
 * the top of the first band.
 */
function flow(columns: readonly Column[]): Placed[] {
  const placed: Placed[] = [];
  let [x, y, bandHeight] = [MARGIN, 0, 0];
  for (const column of columns) {
    if (x > MARGIN && x + outerWidth(column) + MARGIN > MAX_WIDTH)
      [x, y, bandHeight] = [MARGIN, y + bandHeight + GAP, 0];
    placed.push({ column, x, y });
    x += outerWidth(column) + GAP;
    bandHeight = Math.max(bandHeight, outerHeight(column));
  }
  return placed;
}

function heading({ package: name, installed, defaultChannel, deprecated }: GraphView): string[] {
  const facts = [
    `default channel ${defaultChannel}`,
    ...(installed === undefined ? [] : [`installed ${installed}`]),
    ...(deprecated === undefined ? [] : [`package deprecated: ${deprecated.replaceAll(/\s+/g, ' ')}`]),
  ];
  return [
    text(MARGIN, MARGIN + 14, name, { 'font-size': 18, 'font-weight': 'bold', fill: INK }),
    text(MARGIN, MARGIN + 34, shortened(facts.join(' · '), 110), { fill: PALE_INK }),
  ];
}

function markers(): string {
  return (['replaces', 'skips', 'skipRange'] as const)
    .flatMap((kind) => [arrow(kind, EDGES[kind].colour, 6), arrow(`${kind}-taken`, EDGES[kind].colour, 3.4)])
    .join('');
}

const arrow = (id: string, colour: string, size: number): string =>
  element(
    'marker',
    { id, viewBox: '0 0 8 8', refX: 7, refY: 4, markerWidth: size, markerHeight: size, orient: 'auto' },
    element('path', { d: 'M0 0L8 4L0 8Z', fill: colour }),
  );

function drawColumn(column: Column): string {
  const { channel } = column;
  const name = shortened(channel.name, 30);
  const isDeprecated = channel.deprecated !== undefined;
  const size = { width: outerWidth(column), height: outerHeight(column) };
  const panel = element('rect', { ...size, rx: 8, fill: PANEL, stroke: RULE });
  const title = text(GAP, 26, name, { 'font-size': 14, 'font-weight': 'bold', fill: INK });
  const words = [channel.default ? 'default channel' : 'channel', ...(isDeprecated ? ['deprecated'] : [])];
  const subtitle = text(GAP, 42, words.join(', '), {
    'font-size': 11,
    fill: isDeprecated ? '#8a4b00' : PALE_INK,
  });
  const tip = tooltip(channel.deprecated === undefined ? channel.name : `${channel.name}: ${channel.deprecated}`);
  const boxes = column.rows.map((row, index) => drawBox(row, column, HEAD + index * ROW_HEIGHT + 8));
  const inside = element('g', { transform: `translate(${GAP} 0)` }, drawEdges(column, HEAD + 8) + boxes.join(''));
  return element('g', {}, tip + panel + title + subtitle) + inside;
}

/** Draws a box with its name, its facts as tags, and all of it in words in the tooltip. */
function drawBox(row: Row, { boxX, boxWidth }: Column, y: number): string {
  const { node, label, note } = row;
  const style = boxStyle(node.marks);
  const box = element('rect', {
    ...{ x: boxX, y: y - BOX_HEIGHT / 2, width: boxWidth, height: BOX_HEIGHT, rx: 5 },
    ...{ fill: style.fill, stroke: style.stroke, 'stroke-width': style.width },
    ...(style.dashes === '' ? {} : { 'stroke-dasharray': style.dashes }),
  });
  const name = text(boxX + 9, y + 4, label, {
    fill: style.ink,
    ...(node.marks.includes('skipped') ? { 'text-decoration': 'line-through' } : {}),
    ...(node.marks.includes('newest') || node.marks.includes('installed') ? { 'font-weight': 'bold' } : {}),
  });
  const words = [
    node.version === '' ? node.name : `${node.name}, version ${node.version}`,
    ...node.marks.map((mark) => TAGS[mark].label),
    ...(note === '' ? [] : [note]),
    ...(node.deprecated === undefined ? [] : [`deprecated: ${node.deprecated}`]),
  ];
  const below = note === '' ? '' : text(boxX + 9, y + BOX_HEIGHT / 2 + 9, note, { 'font-size': 9, fill: PALE_INK });
  return element('g', {}, tooltip(words.join('; ')) + box + name + drawTags(row, boxX + boxWidth - 5, y) + below);
}

function drawTags(row: Row, right: number, y: number): string {
  let x = right - tagsWidth(row) + 4;
  return row.node.marks
    .map((mark) => {
      const { label, fill, ink } = TAGS[mark];
      const width = tagWidth(label);
      const at = x;
      x += width + 4;
      const pill = element('rect', { x: at, y: y - 8, width, height: 16, rx: 8, fill });
      const style = { 'font-size': 10, 'text-anchor': 'middle', fill: ink };
      return pill + text(at + width / 2, y + 3.5, label, style);
    })
    .join('');
}
