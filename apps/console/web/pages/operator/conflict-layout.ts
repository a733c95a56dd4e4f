import type { ReasonNode } from '../../../src/api/questions.schema.js';

export type ConflictBox = Readonly<{
  id: string;
  node: ReasonNode;
  lines: readonly string[];
  x: number;
  y: number;
  height: number;
  parent: string | undefined;
}>;
type ConflictLayout = Readonly<{
  boxes: readonly ConflictBox[];
  width: number;
  height: number;
  folded: number;
  depth: number;
}>;

export const BOX_WIDTH = 210;
const GAP_X = 96;
/** Holds the title of the box below. */
const GAP_Y = 32;
const LINE_HEIGHT = 17;
const LONGEST = 29;
const MOST_LINES = 4;
const MOST_BOXES = 60;
const TOP = 36;

/** Breaks words into lines that fit a box; a text that does not fit ends with `…`. */
function linesOf(text: string): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(/\s+/).flatMap((one) => one.match(new RegExp(`.{1,${LONGEST}}`, 'gu')) ?? [])) {
    if (line !== '' && line.length + 1 + word.length > LONGEST) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  lines.push(line);
  if (lines.length <= MOST_LINES) return lines;
  return [...lines.slice(0, MOST_LINES - 1), `${(lines[MOST_LINES - 1] ?? '').slice(0, LONGEST - 1)}…`];
}

/**
 * Lays out the tree of reasons in columns from left to right, each parent in the middle of its children.
 * Boxes beyond 60 are counted in `folded`, breadth first, so that no reason hides the one above it.
 */
export function layOutConflict(root: ReasonNode): ConflictLayout {
  const kept = new Set<ReasonNode>();
  let folded = 0;
  for (const queue = [root]; queue.length > 0; ) {
    const node = queue.shift();
    if (node === undefined) break;
    if (kept.size >= MOST_BOXES) folded += 1;
    else kept.add(node);
    queue.push(...node.children);
  }
  const boxes: ConflictBox[] = [];
  let bottom = TOP;
  let deepest = 0;
  const place = (node: ReasonNode, depth: number, id: string, parent: string | undefined): number => {
    deepest = Math.max(deepest, depth);
    const lines = linesOf(node.text);
    const height = lines.length * LINE_HEIGHT + 16;
    const children = node.children.filter((child) => kept.has(child));
    const top = bottom;
    const middles = children.map((child, index) => place(child, depth + 1, `${id}.${index}`, id));
    const first = middles[0];
    const last = middles.at(-1);
    const middle =
      first === undefined || last === undefined ? top + height / 2 : Math.max((first + last) / 2, top + height / 2);
    bottom = Math.max(bottom, middle + height / 2 + GAP_Y);
    boxes.push({ id, node, lines, x: depth * (BOX_WIDTH + GAP_X), y: middle - height / 2, height, parent });
    return middle;
  };
  place(root, 0, '0', undefined);
  return {
    boxes: boxes.reverse(),
    width: (deepest + 1) * BOX_WIDTH + deepest * GAP_X,
    height: bottom,
    folded,
    depth: deepest,
  };
}
