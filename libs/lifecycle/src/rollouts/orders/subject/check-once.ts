import type { AssignmentReport, AssignmentRow } from '#core/kernel/api/fleet/fleet-assignment';
import type { RowFinding } from '../place/row-finding.js';

/** Checks if the cluster could roll back, once an attempt has ended, and again if it could not. */
export async function checkOnce(
  row: AssignmentRow,
  before: AssignmentReport | undefined,
  { state, message }: RowFinding,
  check: () => Promise<Partial<AssignmentReport>>,
): Promise<Partial<AssignmentReport>> {
  if (row.attempt === 0 || (state !== 'Ready' && state !== 'Failed')) return {};
  const isSame = before?.rollout === row.rollout && before?.attempt === row.attempt && before?.state === state;
  if (isSame && before?.returnCheck?.ok === true) return { returnCheck: before.returnCheck };
  const found = await check();
  return message === undefined ? found : { ...found, message };
}
