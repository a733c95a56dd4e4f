import { byCodeUnit } from '#core/kernel/canonical/canonical-json';
import type { ShownJob } from './job-queue.port.js';

const STATES = ['active', 'waiting', 'delayed', 'failed'] as const;

/**
 * Returns at most `most` jobs of each state. The first are those that wait longest, are due first, or failed
 * last.
 */
export const firstOfEach = (jobs: readonly ShownJob[], most: number): readonly ShownJob[] =>
  STATES.flatMap((state) => {
    const latestFirst = state === 'failed' ? -1 : 1;
    return jobs
      .filter((job) => job.state === state)
      .toSorted((a, b) => latestFirst * (a.atMs - b.atMs) || byCodeUnit(a.key, b.key))
      .slice(0, most);
  });
