import type { NodeMark } from '../graph-view.js';
import { boxStyle, EDGES, INK, TAGS } from './palette.js';
import { element, text, textWidth } from './svg-element.js';

const LINE_HEIGHT = 24;
const SAMPLE = 34;

type Item = Readonly<{ label: string; sample: (x: number, y: number) => string }>;

const edgeItem = (kind: keyof typeof EDGES): Item => ({
  label: EDGES[kind].label,
  sample: (x, y) => edgeSample(kind, x, y, 1.6),
});

const boxItem = (mark: NodeMark): Item => ({
  label: TAGS[mark].label,
  sample: (x, y) => {
    const { fill, stroke, width, dashes } = boxStyle([mark]);
    const rect = {
      x,
      y: y - 7,
      width: SAMPLE - 8,
      height: 14,
      rx: 4,
      fill,
    };
    return element('rect', {
      ...rect,
      stroke,
      'stroke-width': width,
      ...(dashes === '' ? {} : { 'stroke-dasharray': dashes }),
    });
  },
});

const ITEMS: readonly Item[] = [
  ...(['replaces', 'skips', 'skipRange'] as const).map(edgeItem),
  { label: 'the way OLM takes', sample: (x, y) => edgeSample('replaces', x, y, 3.2) },
  ...(['installed', 'reachable', 'skipped', 'deprecated', 'absent'] as const).map(boxItem),
];

function edgeSample(kind: keyof typeof EDGES, x: number, y: number, width: number): string {
  const { colour, dashes } = EDGES[kind];
  const attributes = {
    x1: x,
    y1: y,
    x2: x + SAMPLE - 8,
    y2: y,
    stroke: colour,
    'stroke-width': width,
    'stroke-linecap': 'round',
  };
  return element('line', dashes === '' ? attributes : { ...attributes, 'stroke-dasharray': dashes });
}

/** Draws the meaning of lines and boxes, in as many lines as the width needs. */
export function legend(width: number): Readonly<{ markup: string; height: number }> {
  let [x, y] = [0, 10];
  const parts: string[] = [];
  for (const { label, sample } of ITEMS) {
    const needed = SAMPLE + textWidth(label) + 18;
    if (x > 0 && x + needed > width) [x, y] = [0, y + LINE_HEIGHT];
    parts.push(sample(x, y), text(x + SAMPLE, y + 4, label, { fill: INK }));
    x += needed;
  }
  return { markup: parts.join(''), height: y + LINE_HEIGHT / 2 };
}
