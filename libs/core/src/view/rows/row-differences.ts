import { canonicalHash } from '../../kernel/canonical/canonical-json.js';
import { isCatalogReady, type SummedRow } from './cluster-row.js';
import type { ViewRow } from './rows.js';

/**
 * A writer's memory of a row that it wrote: enough to compare another row with it, and no more, since a large
 * fleet has many rows.
 */
export type WrittenRow = SummedRow & Readonly<{ hash: string; since: string; state: string }>;

/** Characters of the hash that are kept: two contents of one row are as good as never equal by chance. */
const HASH_LENGTH = 22;

/** Hashes the content of a row. Times that change while nothing else does are not content. */
function contentHash(row: ViewRow): string {
  const { updatedAt: _written, ...rest } = row;
  const { since: _since, lastSeen: _seen, ...content } = rest as Readonly<Record<string, unknown>>;
  return canonicalHash(content).slice(0, HASH_LENGTH);
}

/** Returns the state that a row's `since` refers to: the standing of an object, the reach of a cluster. */
const stateOf = (row: ViewRow): string =>
  row.kind === 'cluster' ? row.reach : row.kind === 'plan' ? row.phase : row.standing;

export const writtenRow = (row: ViewRow): WrittenRow => ({
  kind: row.kind,
  standing: row.kind === 'plan' ? 'well' : row.standing,
  ...(row.kind !== 'plan' && row.cause !== undefined && { cause: row.cause }),
  ...(row.kind === 'catalog' && { isReady: isCatalogReady(row) }),
  hash: contentHash(row),
  since: 'since' in row ? row.since : '',
  state: stateOf(row),
});

/**
 * Returns the row to write, with the time since when it is in its state. Returns undefined if the written row
 * has the same content.
 */
export function changedRow(row: ViewRow, before: WrittenRow | undefined): ViewRow | undefined {
  if (before === undefined) return row;
  if (contentHash(row) === before.hash) return undefined;
  return 'since' in row && stateOf(row) === before.state && before.since !== '' ? { ...row, since: before.since } : row;
}
