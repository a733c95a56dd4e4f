/**
 * Edges into one entry that run together next to the column: rows count from the top, so `top` is the newer
 * end.
 */
export type Span = Readonly<{ top: number; bottom: number }>;

/**
 * Returns the lane of each span, 0 next to the boxes: short ones inside, and no two that overlap in one lane.
 */
export function laneOf<T extends Span>(spans: readonly T[]): ReadonlyMap<T, number> {
  const lanes: Span[][] = [];
  const found = new Map<T, number>();
  const sorted = spans.toSorted((a, b) => a.bottom - a.top - (b.bottom - b.top) || a.top - b.top);
  for (const span of sorted) {
    let lane = lanes.findIndex((taken) => taken.every((other) => other.bottom < span.top || span.bottom < other.top));
    if (lane < 0) lane = lanes.push([]) - 1;
    lanes[lane]?.push(span);
    found.set(span, lane);
  }
  return found;
}
