/** A move to another state, with its cost. The first unit of the cost counts first. */
export type Move<State, Step> = Readonly<{ to: State; step: Step; cost: Cost }>;
type Cost = readonly [first: number, second: number];

type Reached<State, Step> = Readonly<{
  state: State;
  cost: Cost;
  order: number;
  before?: Reached<State, Step>;
  step?: Step;
}>;

/**
 * Returns the steps of the cheapest path from `start` to a goal. Returns undefined if no path leads there. Of
 * equally cheap paths the one found first by the order of `moves` counts, so the answer depends on nothing
 * else (Dijkstra's algorithm).
 */
export function cheapestWay<State, Step>(
  start: State,
  search: Readonly<{
    key: (state: State) => string;
    moves: (state: State) => readonly Move<State, Step>[];
    isGoal: (state: State) => boolean;
  }>,
): Step[] | undefined {
  const done = new Set<string>();
  const open: Reached<State, Step>[] = [{ state: start, cost: [0, 0], order: 0 }];
  let order = 0;
  for (let at = pop(open); at !== undefined; at = pop(open)) {
    if (search.isGoal(at.state)) return stepsTo(at);
    const key = search.key(at.state);
    if (done.has(key)) continue;
    done.add(key);
    for (const { to, step, cost } of search.moves(at.state)) {
      if (done.has(search.key(to))) continue;
      order++;
      push(open, { state: to, step, cost: [at.cost[0] + cost[0], at.cost[1] + cost[1]], order, before: at });
    }
  }
  return undefined;
}

function stepsTo<State, Step>(reached: Reached<State, Step>): Step[] {
  const steps: Step[] = [];
  for (let at: Reached<State, Step> | undefined = reached; at !== undefined; at = at.before) {
    if (at.step !== undefined) steps.push(at.step);
  }
  return steps.reverse();
}

type Ranked = Readonly<{ cost: Cost; order: number }>;

const isCheaper = (a: Ranked, b: Ranked): boolean =>
  (a.cost[0] - b.cost[0] || a.cost[1] - b.cost[1] || a.order - b.order) < 0;

/** Adds to a binary heap with the cheapest item first. */
function push<T extends Ranked>(heap: T[], item: T): void {
  let at = heap.length;
  heap.push(item);
  while (at > 0) {
    const above = (at - 1) >> 1;
    const parent = heap[above];
    if (parent === undefined || !isCheaper(item, parent)) break;
    heap[at] = parent;
    at = above;
  }
  heap[at] = item;
}

function pop<T extends Ranked>(heap: T[]): T | undefined {
  const first = heap[0];
  const last = heap.pop();
  if (last === undefined || heap.length === 0) return first;
  let at = 0;
  for (;;) {
    const [left, right] = [heap[2 * at + 1], heap[2 * at + 2]];
    const toRight = left !== undefined && right !== undefined && isCheaper(right, left);
    const below = toRight ? right : left;
    if (below === undefined || !isCheaper(below, last)) break;
    heap[at] = below;
    at = 2 * at + (toRight ? 2 : 1);
  }
  heap[at] = last;
  return first;
}
