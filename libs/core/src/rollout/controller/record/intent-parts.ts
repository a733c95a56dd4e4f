import type { RolloutRow } from '../step/row.js';

/** The annotations of an object have 256 KiB; the other state of a rollout there has the other half. */
const MOST_INTENT_CHARACTERS = 128 * 1024;
const MOST_INTENT_ROWS = 100;

/**
 * Splits clusters into the parts in which their rows are announced in their rollout, each with as many as
 * have room. A cluster without a row takes no room. Returns at least one part, which may be empty.
 */
export function intentParts(
  clusters: readonly string[],
  rowOf: (cluster: string) => RolloutRow | undefined,
): readonly (readonly string[])[] {
  let part: string[] = [];
  const parts = [part];
  let characters = 0;
  for (const cluster of clusters) {
    // The size of its step and its enclosing JSON is small, and the limit is approximate.
    const size = JSON.stringify(rowOf(cluster) ?? null).length;
    const isFull = part.length === MOST_INTENT_ROWS || characters + size > MOST_INTENT_CHARACTERS;
    if (isFull && part.length > 0) {
      part = [];
      parts.push(part);
      characters = 0;
    }
    part.push(cluster);
    characters += size;
  }
  return parts;
}
