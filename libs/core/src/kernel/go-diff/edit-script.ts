/** How much of two elements is the same: counts of their leaves. */
type Likeness = Readonly<{ same: number; different: number }>;

/** One step from the first list to the second. */
export type Edit = 'same' | 'removed' | 'inserted' | 'modified';

type Point = { x: number; y: number };
type Path = Point & { readonly edits: Edit[] };
type Compare = (ix: number, iy: number) => Likeness;

/**
 * Returns the steps that turn a list of `nx` elements into one of `ny`, as go-cmp v0.7 finds them
 * (internal/diff, Difference): greedily, from both ends in turn. Go starts at either end, by chance for each
 * process; here always at the beginning.
 */
export function editScript(nx: number, ny: number, compare: Compare): readonly Edit[] {
  const forward: Path = { x: 0, y: 0, edits: [] };
  const reverse: Path = { x: nx, y: ny, edits: [] };
  const front: Point = { x: 0, y: 0 };
  const back: Point = { x: nx, y: ny };
  const budget = { left: 4 * (nx + ny) };
  const met = (): boolean => front.x >= back.x || front.y >= back.y || budget.left === 0;
  while (!met()) {
    searchForward(forward, reverse, front, budget, compare);
    if (reverse.x - front.x >= reverse.y - front.y) front.x += 1;
    else front.y += 1;
    if (met()) break;
    searchBackward(forward, reverse, back, budget, compare);
    if (back.x - forward.x >= back.y - forward.y) back.x -= 1;
    else back.y -= 1;
  }
  connect(forward, reverse, compare);
  return [...forward.edits, ...reverse.edits.reverse()];
}

type Budget = { left: number };

/** Searches along the diagonal through `front`, in zigzag, until two elements are equal. */
function searchForward(forward: Path, reverse: Path, front: Point, budget: Budget, compare: Compare): void {
  const outside = ({ x, y }: Point): number =>
    x >= reverse.x || y < forward.y ? TOP : y >= reverse.y || x < forward.x ? BOTTOM : 0;
  const at = search(front, 1, budget, outside, ({ x, y }) => isEqual(compare(x, y)));
  if (at === undefined) return;
  connect(forward, at, compare);
  do append(forward, 'same', 1);
  while (forward.x < reverse.x && forward.y < reverse.y && isEqual(compare(forward.x, forward.y)));
  Object.assign(front, { x: forward.x, y: forward.y });
}

function searchBackward(forward: Path, reverse: Path, back: Point, budget: Budget, compare: Compare): void {
  const outside = ({ x, y }: Point): number =>
    forward.x >= x || reverse.y < y ? BOTTOM : forward.y >= y || reverse.x < x ? TOP : 0;
  const at = search(back, -1, budget, outside, ({ x, y }) => isEqual(compare(x - 1, y - 1)));
  if (at === undefined) return;
  connectBack(reverse, at, compare);
  do append(reverse, 'same', -1);
  while (forward.x < reverse.x && forward.y < reverse.y && isEqual(compare(reverse.x - 1, reverse.y - 1)));
  Object.assign(back, { x: reverse.x, y: reverse.y });
}

/** The two corners of a diagonal. */
const [TOP, BOTTOM] = [1, 2];

function search(
  from: Point,
  direction: 1 | -1,
  budget: Budget,
  outside: (at: Point) => number,
  found: (at: Point) => boolean,
): Point | undefined {
  let corners = 0;
  for (let i = 0; corners !== (TOP | BOTTOM) && budget.left > 0; i += 1) {
    const z = zigzag(i) * direction;
    const at = { x: from.x + z, y: from.y - z };
    const corner = outside(at);
    corners |= corner;
    if (corner !== 0) continue;
    if (found(at)) return at;
    budget.left -= 1;
  }
  return;
}

function connect(path: Path, to: Point, compare: Compare): void {
  while (to.x > path.x && to.y > path.y) {
    append(path, stepOf(compare(path.x, path.y), to.x - path.x >= to.y - path.y), 1);
  }
  while (to.x > path.x) append(path, 'removed', 1);
  while (to.y > path.y) append(path, 'inserted', 1);
}

function connectBack(path: Path, to: Point, compare: Compare): void {
  while (path.x > to.x && path.y > to.y) {
    append(path, stepOf(compare(path.x - 1, path.y - 1), path.y - to.y < path.x - to.x), -1);
  }
  while (path.x > to.x) append(path, 'removed', -1);
  while (path.y > to.y) append(path, 'inserted', -1);
}

function stepOf(likeness: Likeness, preferRemoved: boolean): Edit {
  if (isEqual(likeness)) return 'same';
  if (likeness.same + 1 >= likeness.different) return 'modified';
  return preferRemoved ? 'removed' : 'inserted';
}

function append(path: Path, edit: Edit, direction: 1 | -1): void {
  path.edits.push(edit);
  if (edit !== 'inserted') path.x += direction;
  if (edit !== 'removed') path.y += direction;
}

const isEqual = ({ different }: Likeness): boolean => different === 0;

/** Maps 0, 1, 2, 3, 4 to 0, -1, 1, -2, 2. */
const zigzag = (i: number): number => (i % 2 === 1 ? ~i >> 1 : i >> 1);
