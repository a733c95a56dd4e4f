import type { ReadLimits } from '#core/kernel/read-budget/read-limits';
import type { Settings } from './settings.js';

/** What one process reads and keeps of one cluster at most, as set. */
export const readLimitsOf = (settings: Settings): ReadLimits => ({
  answerBytes: settings.kubeMaxAnswerBytes,
  listBytes: settings.kubeMaxListBytes,
  objects: settings.kubeMaxObjects,
  clusterBytes: settings.kubeMaxClusterBytes,
});
