import type { RolloutRow } from '../step/row.js';
import { orderedLate } from '../step/row-moves.js';
import type { RolloutRecord } from './rollout-record.js';

/** A row with the step that wrote it: of two the later one counts. */
export type StoredRow = Readonly<{ step: number; row: RolloutRow }>;

/**
 * Reads the stored rows of clusters, and the rows of the rollout's intent if those are newer. Returns the
 * clusters of the latter: the pass that announced them broke off. A pass that broke off may have written rows
 * of a step that is not in the rollout. `lateMs`: time since the intent was written.
 */
export function readRows(
  record: RolloutRecord,
  stored: Iterable<readonly [cluster: string, StoredRow]>,
  intent: readonly StoredRow[],
  lateMs: number,
): string[] {
  const steps = new Map<string, number>();
  for (const [name, { step, row }] of stored) {
    record.rows.set(name, row);
    steps.set(name, step);
    record.version = Math.max(record.version, step);
  }
  const unordered = intent.filter(({ step, row }) => step > (steps.get(row.cluster) ?? -1));
  for (const { row } of unordered) record.rows.set(row.cluster, orderedLate(row, lateMs));
  return unordered.map(({ row }) => row.cluster);
}
