import type { ViewRow } from '#core/view/rows/rows';
import type { StreamRows } from '../api/actions.schema.js';
import type { RowStep } from '../rows/live-rows.js';

/** Most rows of one frame; beyond, pages read again. */
const MOST_OF_A_FRAME = 500;

/**
 * Selects from steps the rows that a person may see now. Rows that they saw and that are gone or hidden now
 * are named by id. `more`: too many.
 */
export function frameOf(steps: readonly RowStep[], sees: (row: ViewRow) => boolean): StreamRows | 'more' | undefined {
  const changed = new Map<string, ViewRow>();
  const removed = new Map<string, { cluster: string; id: string }>();
  for (const { before, after } of steps) {
    const row = after ?? before;
    if (row === undefined) continue;
    const address = `${row.cluster}\0${row.id}`;
    if (after !== undefined && sees(after)) {
      changed.set(address, after);
      removed.delete(address);
    } else if (before !== undefined && sees(before)) {
      changed.delete(address);
      removed.set(address, { cluster: row.cluster, id: row.id });
    }
  }
  if (changed.size + removed.size > MOST_OF_A_FRAME) return 'more';
  if (changed.size + removed.size === 0) return undefined;
  return { changed: [...changed.values()], removed: [...removed.values()] };
}
