import { begins, type RolloutRow } from '../step/row.js';

/** A row as it was, and as a step leaves it. */
export type RowChange = Readonly<{ before: RolloutRow | undefined; after: RolloutRow }>;

/** True if a row's change is an event: a change of its phase, reason, wave, attempt or hop. */
export const isEvent = ({ before, after }: RowChange): boolean =>
  before === undefined ||
  before.phase !== after.phase ||
  before.reason !== after.reason ||
  before.wave !== after.wave ||
  before.attempt !== after.attempt ||
  before.hop !== after.hop;

/**
 * True if a row is written before its rollout (decision 0181). A row that begins something follows the
 * rollout that names it. A row that is removed, or that loses its success, follows the rollout that keeps its
 * part in the wave.
 */
export const isWrittenFirst = ({
  before,
  after,
}: Readonly<{ before: RolloutRow | undefined; after: RolloutRow | undefined }>): boolean => {
  const hasSuccess = before?.doneAt === undefined || before.doneAt === after?.doneAt;
  return after !== undefined && after.phase !== 'Removed' && hasSuccess && !begins(before, after);
};
