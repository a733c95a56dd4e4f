import { getHeapStatistics } from 'node:v8';
import type { ReadLimits } from '#core/kernel/read-budget/read-limits';
import type { Settings } from './settings.js';

/** Returns the configured limits of reads and memory of one process for one cluster. */
export const readLimitsOf = (settings: Settings): ReadLimits => ({
  answerBytes: settings.kubeMaxAnswerBytes,
  listBytes: settings.kubeMaxListBytes,
  objects: settings.kubeMaxObjects,
  clusterBytes: settings.kubeMaxClusterBytes,
  processBytes: settings.kubeMaxProcessBytes === 'auto' ? halfOfHeap() : settings.kubeMaxProcessBytes,
});

/**
 * Returns half of V8's own limit, which follows from the memory of the container or machine: 560 MiB of 1
 * GiB.
 */
const halfOfHeap = (): number => Math.floor(getHeapStatistics().heap_size_limit / 2);
