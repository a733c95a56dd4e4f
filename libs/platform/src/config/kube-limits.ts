import { getHeapStatistics } from 'node:v8';
import type { ReadLimits } from '#core/kernel/read-budget/read-limits';
import type { Settings } from './settings.js';

/** What one process reads and keeps of one cluster at most, as set. */
export const readLimitsOf = (settings: Settings): ReadLimits => ({
  answerBytes: settings.kubeMaxAnswerBytes,
  listBytes: settings.kubeMaxListBytes,
  objects: settings.kubeMaxObjects,
  clusterBytes: settings.kubeMaxClusterBytes,
  processBytes: settings.kubeMaxProcessBytes === 'auto' ? halfOfHeap() : settings.kubeMaxProcessBytes,
});

/** Of what V8 allows itself, which follows from the memory of the container or machine: 560 MiB of 1 GiB. */
const halfOfHeap = (): number => Math.floor(getHeapStatistics().heap_size_limit / 2);
