import type { OperatorRow } from '../rows/rows.js';

/**
 * Returns the bundle that runs. Empty: none is known to run. A Subscription names a bundle as installed
 * before its operator has succeeded.
 */
export const runningBundle = ({ standing, installed, stillRuns = '' }: OperatorRow): string =>
  standing === 'well' ? installed : stillRuns;

/** True if the newest bundle of its channel runs. An unknown newest bundle is taken to be the running one. */
export function isUpToDate(row: OperatorRow): boolean {
  const running = runningBundle(row);
  return running !== '' && (row.newest === '' || row.newest === running);
}
