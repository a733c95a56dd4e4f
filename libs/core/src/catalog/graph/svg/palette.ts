import type { NodeMark } from '../graph-view.js';
import type { EdgeKind } from '../upgrade-edges.js';

/**
 * Colours of Okabe and Ito: colour-blind people can distinguish them. Those that carry text are darkened.
 * Colour is never the only sign of a meaning.
 */
export const INK = '#1f2933';
export const PALE_INK = '#5f6b7a';
export const PAPER = '#ffffff';
export const PANEL = '#f5f7fa';
export const RULE = '#c5ced8';

/**
 * Lines by the kind of edge: solid, dashed, dotted. Ranges cover many entries, so their lines are fainter.
 */
export const EDGES: Readonly<
  Record<EdgeKind, Readonly<{ colour: string; dashes: string; opacity: number; label: string }>>
> = {
  replaces: { colour: '#3e4c59', dashes: '', opacity: 1, label: 'replaces' },
  skips: { colour: '#b34700', dashes: '6 4', opacity: 1, label: 'skips' },
  skipRange: { colour: '#0060a0', dashes: '1.5 4', opacity: 0.6, label: 'skipRange' },
};

type BoxStyle = Readonly<{ fill: string; stroke: string; width: number; dashes: string; ink: string }>;

const PLAIN: BoxStyle = { fill: PAPER, stroke: '#8795a5', width: 1, dashes: '', ink: INK };
const STYLES: readonly (readonly [mark: NodeMark, style: BoxStyle])[] = [
  ['installed', { fill: '#0060a0', stroke: '#003a61', width: 2, dashes: '', ink: PAPER }],
  ['absent', { fill: 'none', stroke: '#8795a5', width: 1, dashes: '2 3', ink: PALE_INK }],
  ['skipped', { fill: '#eceff3', stroke: '#5f6b7a', width: 1, dashes: '5 3', ink: PALE_INK }],
  ['reachable', { fill: '#e3f5ee', stroke: '#00805c', width: 2, dashes: '', ink: INK }],
  ['deprecated', { fill: '#fff4d6', stroke: '#b37700', width: 1.5, dashes: '', ink: INK }],
];

/** Returns the style of an entry's box: the first of its marks that has a style of its own decides. */
export const boxStyle = (marks: readonly NodeMark[]): BoxStyle =>
  STYLES.find(([mark]) => marks.includes(mark))?.[1] ?? PLAIN;

/** Small tags behind an entry's name, so that colour is never the only sign of a mark. */
export const TAGS: Readonly<Record<NodeMark, Readonly<{ label: string; fill: string; ink: string }>>> = {
  installed: { label: 'installed', fill: PAPER, ink: '#003a61' },
  newest: { label: 'newest', fill: '#3e4c59', ink: PAPER },
  reachable: { label: 'reachable', fill: '#00805c', ink: PAPER },
  skipped: { label: 'skipped', fill: '#5f6b7a', ink: PAPER },
  deprecated: { label: 'deprecated', fill: '#e69f00', ink: '#1f1400' },
  absent: { label: 'not in channel', fill: PANEL, ink: PALE_INK },
};
