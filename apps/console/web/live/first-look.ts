import { read } from './ask.js';

/** Clusters that the page Fleet shows before its table goes on elsewhere. */
const SHOWN = 50;
/** Clusters that are not well, on the page Fleet. */
export const UNWELL_CLUSTERS = `clusters?standing=failed,blocked,needs-approval,under-way&limit=${SHOWN}`;

/**
 * Requests the data of the page Fleet while its script is still being read: the page finds the answers there.
 */
export function askForFleet(): void {
  for (const path of ['fleet', UNWELL_CLUSTERS]) read(path).catch(() => undefined);
}
