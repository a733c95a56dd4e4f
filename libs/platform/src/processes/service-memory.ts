import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import type { ResourceLimits } from 'node:worker_threads';

/** Arguments of Node for each service: the young generation of its heap, MiB (decision 0194). */
export const SERVICE_ARGUMENTS: readonly string[] = ['--max-semi-space-size=8'];

/** Variables that the allocator of the C library reads from the environment when a service starts. */
export const SERVICE_ALLOCATOR: Readonly<Record<string, string>> = {
  MALLOC_ARENA_MAX: '1',
  MALLOC_TRIM_THRESHOLD_: '131072',
};

const GROWTH_PERCENT = 75;

/**
 * Has the heap collected when it has grown by three quarters. V8 itself lets it grow up to fourfold on a
 * large machine, and a process would keep three times its need.
 */
export function boundGarbage(): void {
  setFlagsFromString(`--heap-growing-percent=${GROWTH_PERCENT}`);
}

/**
 * Returns limits of the next thread: of its heap, and of the young generation in it; MiB. The argument of the
 * process for its own young generation would outrank the thread's, so it is lifted for threads. The heap of
 * the caller keeps its limit from the start (why: speed.md "The young generation of a thread is its own").
 */
export function threadMemory(heapMiB: number, youngMiB: number): ResourceLimits {
  setFlagsFromString('--max-semi-space-size=0');
  return { maxOldGenerationSizeMb: heapMiB, maxYoungGenerationSizeMb: youngMiB };
}

const SHORT = 0.4;

/** True if so much of V8's own heap limit is used that data that can be read again should be dropped. */
export function isMemoryShort(): boolean {
  const { used_heap_size: used, heap_size_limit: limit } = getHeapStatistics();
  return used > limit * SHORT;
}
