import { totalmem } from 'node:os';
import type { ReadLimits } from '#core/kernel/read-budget/read-limits';
import type { Settings } from './settings.js';

/** What one process reads and keeps of one cluster at most, as set. */
export const readLimitsOf = (settings: Settings): ReadLimits => ({
  answerBytes: settings.kubeMaxAnswerBytes,
  listBytes: settings.kubeMaxListBytes,
  objects: settings.kubeMaxObjects,
  clusterBytes: settings.kubeMaxClusterBytes,
  processBytes: settings.kubeMaxProcessBytes === 'auto' ? halfOfMemory() : settings.kubeMaxProcessBytes,
});

/** Of the container, where it has a limit, else of the machine. */
function halfOfMemory(): number {
  const limit = process.constrainedMemory();
  return Math.floor(Math.min(totalmem(), limit > 0 ? limit : Number.POSITIVE_INFINITY) / 2);
}
